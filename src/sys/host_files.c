/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/host_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path_name.h"
#include "sys/open_beneath.h"

/* O_NONBLOCK: a pipe without a writer opens at once, and is found out then. */
#define FILE_FLAGS      (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define WAY_FLAGS       (O_PATH | O_DIRECTORY | O_CLOEXEC)

#define FIRST_SIZE ((size_t)8 * 1024)

static int open_by_names(int root_fd, const char *path, int flags)
{
    AUTO_CLOSE int held = -1;
    char name[NAME_MAX + 1];
    ssize_t n = *path == '/' ? -EXDEV : path_take_name(&path, name);

    while (n > 0) {
        const int from = held >= 0 ? held : root_fd;
        const int fd = open_name_beneath(from, name, *path ? WAY_FLAGS : flags);

        if (held >= 0)
            (void)close(held);
        held = fd;
        if (fd < 0)
            return fd;
        if (!*path)
            return TAKE_FD(held);
        n = path_take_name(&path, name);
    }
    return n < 0 ? (int)n : -ENOENT;
}

static int open_below(int root_fd, const char *path, int flags)
{
    const int fd = open_beneath(root_fd, path, flags,
                                RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);

    return fd == -ENOSYS || fd == -EPERM ? open_by_names(root_fd, path, flags) : fd;
}

/* Makes room for more bytes and a NUL, if there may be more. */
static int grow(char **text, size_t *size, size_t most)
{
    const size_t larger = *size ? *size * 2 : FIRST_SIZE;
    const size_t next = larger < most + 2 ? larger : most + 2;
    char *grown = realloc(*text, next);

    if (!grown)
        return -ENOMEM;
    *text = grown;
    *size = next;
    return 0;
}

static int read_to_end(int fd, size_t most, char **text, size_t *ret_n)
{
    size_t size = 0, n = 0;

    for (;;) {
        ssize_t more;

        if (n + 1 >= size && grow(text, &size, most) < 0)
            return -ENOMEM;
        more = TEMP_FAILURE_RETRY(read(fd, *text + n, size - 1 - n));
        if (more < 0)
            return -errno;
        n += (size_t)more;
        if (n > most)
            return -EFBIG;
        if (more == 0)
            break;
    }
    (*text)[n] = '\0';
    *ret_n = n;
    return 0;
}

static int read_regular(int fd, size_t most, char **ret_text, size_t *ret_n)
{
    AUTO_FREE char *text = NULL;
    struct stat status;
    int r;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return -EINVAL;
    r = read_to_end(fd, most, &text, ret_n);
    if (r == 0)
        *ret_text = TAKE(text);
    return r;
}

int host_file_read(int root_fd, const char *path, size_t most, char **ret_text, size_t *ret_n)
{
    AUTO_CLOSE int fd = open_below(root_fd, path, FILE_FLAGS);

    return fd < 0 ? fd : read_regular(fd, most, ret_text, ret_n);
}

int own_file_read(const char *path, size_t most, char **ret_text, size_t *ret_n)
{
    AUTO_CLOSE int fd = open(path, FILE_FLAGS);

    return fd < 0 ? -errno : read_regular(fd, most, ret_text, ret_n);
}

DIR *host_file_list(int root_fd, const char *path)
{
    AUTO_CLOSE int fd = open_below(root_fd, path, DIRECTORY_FLAGS);
    DIR *directory;

    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    directory = fdopendir(fd);
    if (directory)
        (void)TAKE_FD(fd);
    return directory;
}
