/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Opens a cgroup below the root of its tree, whoever moves things there meanwhile
 * (sys/open_beneath.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path_name.h"
#include "sys/cgroup_root.h"
#include "sys/open_beneath.h"

#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* On no other mount either: what is mounted over a cgroup is no cgroup of this tree. */
static int open_piece(int directory_fd, const char *relative)
{
    return open_beneath(directory_fd, relative, DIRECTORY_FLAGS,
                        RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}

/* The length of the first part of a path that is too long for one call; 0: a name is too long. */
static size_t first_piece(const char *relative)
{
    const char *end = memrchr(relative, '/', PATH_MAX);

    return end ? (size_t)(end - relative) : 0;
}

static int open_by_pieces(int directory_fd, const char *relative)
{
    AUTO_CLOSE int held = -1;
    size_t length = strlen(relative);

    while (length >= PATH_MAX) {
        char piece[PATH_MAX];
        size_t n = first_piece(relative);
        int fd;

        if (n == 0)
            return -ENAMETOOLONG;
        memcpy(piece, relative, n);
        piece[n] = '\0';
        fd = open_piece(held >= 0 ? held : directory_fd, piece);
        if (fd < 0)
            return fd;
        if (held >= 0)
            (void)close(held);
        held = fd;
        relative += n + 1;
        length -= n + 1;
    }
    return open_piece(held >= 0 ? held : directory_fd, relative);
}

/* Mounts have numbers since Linux 5.8; before, only the file systems can be compared. */
static bool same_mount(int a, int b)
{
    struct statx status_a, status_b;

    return statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &status_a) == 0 &&
           statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &status_b) == 0 &&
           status_a.stx_dev_major == status_b.stx_dev_major &&
           status_a.stx_dev_minor == status_b.stx_dev_minor &&
           (!(status_a.stx_mask & status_b.stx_mask & STATX_MNT_ID) ||
            status_a.stx_mnt_id == status_b.stx_mnt_id);
}

/* Opens one name, with the errors that openat2 would give. */
static int open_name(int directory_fd, const char *name)
{
    AUTO_CLOSE int fd = open_name_beneath(directory_fd, name, DIRECTORY_FLAGS);

    if (fd < 0)
        return fd;
    return same_mount(fd, directory_fd) ? TAKE_FD(fd) : -EXDEV;
}

static int open_by_names(int directory_fd, const char *relative)
{
    AUTO_CLOSE int held = -1;

    if (!*relative)
        return -ENOENT;
    if (*relative == '/')
        return -EXDEV;
    held = open_name(directory_fd, ".");
    while (held >= 0 && *relative) {
        char name[NAME_MAX + 1];
        const ssize_t n = path_take_name(&relative, name);
        int fd;

        if (n < 0)
            return (int)n;
        fd = open_name(held, name);
        (void)close(held);
        held = fd;
    }
    return held < 0 ? held : TAKE_FD(held);
}

int cgroup_open_below(int directory_fd, const char *relative)
{
    int fd = open_by_pieces(directory_fd, relative);

    return fd == -ENOSYS ? open_by_names(directory_fd, relative) : fd;
}

static uint64_t in_ns(const struct statx_timestamp *time)
{
    return time->tv_sec > 0 ? (uint64_t)time->tv_sec * NS_PER_SECOND + time->tv_nsec : 0;
}

uint64_t cgroup_created_realtime_ns(int directory_fd)
{
    struct statx status;
    uint64_t oldest_ns;

    if (statx(directory_fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &status) < 0)
        return 0;
    if (status.stx_mask & STATX_BTIME)
        return in_ns(&status.stx_btime);
    oldest_ns = in_ns(&status.stx_atime);
    if (in_ns(&status.stx_mtime) < oldest_ns)
        oldest_ns = in_ns(&status.stx_mtime);
    if (in_ns(&status.stx_ctime) < oldest_ns)
        oldest_ns = in_ns(&status.stx_ctime);
    return oldest_ns;
}
