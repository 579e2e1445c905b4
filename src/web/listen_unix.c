/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mode is set before bind(2), which applies it to the file that it makes. So there is no moment
 * in which another user could connect, and umask(2), which all threads share, is left alone.
 *
 * A socket's file outlives its process, and only connect(2) tells whether somebody still listens.
 * If two processes start at the same time where a third one has left its file, both may find that
 * one dead; the later of the two then has the path.
 */
#include "web/listen_unix.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/cleanup.h"

#define LISTEN_QUEUE   128
#define DIRECTORY_MODE 0755

static int make_address(const char *path, struct sockaddr_un *ret_address)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    *ret_address = address;
    return 0;
}

/* Returns NULL also if the path has no directory that could be missing; then errno is 0. */
static char *directory_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    errno = 0;
    return slash && slash != path ? strndup(path, (size_t)(slash - path)) : NULL;
}

static int make_directory(const char *path, bool *ret_made)
{
    AUTO_FREE char *directory = directory_of(path);

    if (!directory)
        return -errno;
    if (mkdir(directory, DIRECTORY_MODE) < 0)
        return errno == EEXIST ? 0 : -errno;
    *ret_made = true;
    return 0;
}

/* A directory that holds anything else stays: rmdir(2) removes only empty ones. */
static void remove_directory(const char *path)
{
    AUTO_FREE char *directory = directory_of(path);

    if (directory)
        (void)rmdir(directory);
}

/* Returns 0 if the path is free, or is a socket on which nobody listens. */
static int check_dead(const struct sockaddr_un *address)
{
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct stat status;

    if (fd < 0)
        return -errno;
    if (lstat(address->sun_path, &status) < 0)
        return errno == ENOENT ? 0 : -errno;
    if (!S_ISSOCK(status.st_mode))
        return -EEXIST;
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
        errno == ECONNREFUSED)
        return 0;
    return -EADDRINUSE; /* Its queue may be full, or we may not connect. */
}

static int bind_to(int fd, const struct sockaddr_un *address)
{
    int r;

    if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return 0;
    if (errno != EADDRINUSE)
        return -errno;
    r = check_dead(address);
    if (r < 0)
        return r;
    if (unlink(address->sun_path) < 0 && errno != ENOENT)
        return -errno;
    return bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
}

static int open_socket(const struct sockaddr_un *address, int *ret_fd)
{
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int r;

    if (fd < 0 || fchmod(fd, S_IRUSR | S_IWUSR) < 0)
        return -errno;
    r = bind_to(fd, address);
    if (r < 0)
        return r;
    if (listen(fd, LISTEN_QUEUE) < 0) {
        r = -errno;
        (void)unlink(address->sun_path);
        return r;
    }
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int listen_unix_open(const char *path, struct unix_place *ret_place, int *ret_fd)
{
    AUTO_FREE char *copy = strdup(path);
    struct sockaddr_un address;
    struct stat status = {0};
    bool made_directory = false;
    int fd = -1, r;

    if (!copy)
        return -ENOMEM;
    r = make_address(path, &address);
    if (r == 0)
        r = make_directory(path, &made_directory);
    if (r == 0)
        r = open_socket(&address, &fd);
    if (r < 0) {
        if (made_directory)
            remove_directory(path);
        return r;
    }
    (void)lstat(path, &status); /* If it has gone already, nothing will be removed. */
    *ret_place = (struct unix_place){TAKE(copy), status.st_dev, status.st_ino, made_directory};
    *ret_fd = fd;
    return 0;
}

void unix_place_done(struct unix_place *place)
{
    struct stat status;

    if (place->path && lstat(place->path, &status) == 0 && status.st_dev == place->device &&
        status.st_ino == place->inode)
        (void)unlink(place->path);
    if (place->path && place->made_directory)
        remove_directory(place->path);
    free(TAKE(place->path));
}
