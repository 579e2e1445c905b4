/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/open_beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_TRIES 16

int open_beneath(int directory_fd, const char *path, int flags, uint64_t resolve)
{
    struct open_how how = {.flags = (unsigned)flags, .resolve = resolve};

    /* the kernel gives up with EAGAIN when a rename happens during the look-up */
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        const long fd = syscall(SYS_openat2, directory_fd, path, &how, sizeof(how));

        if (fd >= 0)
            return (int)fd;
        if (errno != EAGAIN && errno != EINTR)
            break;
    }
    return -errno;
}

static bool is_link(int directory_fd, const char *name)
{
    struct stat status;

    return fstatat(directory_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISLNK(status.st_mode);
}

int open_name_beneath(int directory_fd, const char *name, int flags)
{
    int fd;

    if (strcmp(name, "..") == 0)
        return -EXDEV;
    fd = openat(directory_fd, name, flags | O_NOFOLLOW);
    if (fd >= 0)
        return fd;
    fd = -errno; /* O_DIRECTORY finds a link to be no directory */
    return fd == -ENOTDIR && is_link(directory_fd, name) ? -ELOOP : fd;
}
