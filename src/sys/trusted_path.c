/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The path is walked name by name, and links are read here and not followed by the kernel, so that
 * what was checked is what is opened. If somebody can replace the file afterwards, the doubt says
 * who.
 */
#include "sys/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path_name.h"

#define MOST_LINKS 40 /* as the kernel, path_resolution(7) */
#define ARRIVED    1

struct walk {
    int fd;              /* the directory that has been reached */
    char rest[PATH_MAX]; /* the part of the path that is still to be walked */
    char gone[PATH_MAX]; /* the part that has been walked, for people */
    unsigned n_links;
    struct path_doubt *doubt;
};

static bool is_trusted(uid_t user)
{
    return user == 0 || user == geteuid();
}

static void note_doubt(struct walk *walk, enum path_say who, unsigned id, bool is_link)
{
    if (walk->doubt->who != PATH_SAY_NOBODY && !is_link)
        return;
    walk->doubt->who = who;
    walk->doubt->id = id;
    walk->doubt->is_link = is_link;
    memcpy(walk->doubt->path, walk->gone, sizeof(walk->gone));
}

/* Checks who can change a file or directory. In a sticky directory only owners replace files. */
static void look_at(struct walk *walk, const struct stat *status)
{
    const bool sticky = S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX);

    if (!is_trusted(status->st_uid))
        note_doubt(walk, PATH_SAY_USER, status->st_uid, false);
    else if ((status->st_mode & S_IWOTH) && !sticky)
        note_doubt(walk, PATH_SAY_ALL, 0, false);
    else if ((status->st_mode & S_IWGRP) && !sticky && status->st_gid != 0 &&
             status->st_gid != getegid())
        note_doubt(walk, PATH_SAY_GROUP, status->st_gid, false);
}

static int begin_at(struct walk *walk, const char *directory)
{
    const int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    cleanup_close(&walk->fd);
    walk->fd = fd;
    (void)snprintf(walk->gone, sizeof(walk->gone), "%s", directory);
    return 0;
}

/* Takes the next name off the rest of the path. -EISDIR: there is none. */
static int next_name(struct walk *walk, char ret_name[static NAME_MAX + 1])
{
    const char *rest = walk->rest;
    const ssize_t n = path_take_name(&rest, ret_name);

    if (n <= 0)
        return n < 0 ? (int)n : -EISDIR;
    memmove(walk->rest, rest, strlen(rest) + 1);
    return 0;
}

static void append_gone(struct walk *walk, const char *name)
{
    const size_t n = strlen(walk->gone);
    const bool is_root = n == 1 && walk->gone[0] == '/';

    (void)snprintf(walk->gone + n, sizeof(walk->gone) - n, "%s%s", is_root ? "" : "/", name);
}

/*
 * Whether a link of /proc leads into what another process sees ("/proc/7/root", "/proc/7/cwd"). Its
 * text is a path as that process would write it; below our own root it is another file. Links of
 * /proc with a relative text ("/proc/mounts") are ordinary ones.
 */
static bool is_of_another_process(const struct walk *walk, int link_fd, const char *target)
{
    struct statfs system;
    char own[32];

    if (target[0] != '/' || fstatfs(link_fd, &system) < 0 || system.f_type != PROC_SUPER_MAGIC)
        return false;
    (void)snprintf(own, sizeof(own), "/proc/%d/", (int)getpid());
    return strncmp(walk->gone, own, strlen(own)) != 0;
}

/*
 * Follows a link: its target is put before the rest of the path, and its own name is taken off the
 * part that has been walked (`gone` is the length of that without the name).
 */
static int follow(struct walk *walk, int link_fd, const struct stat *status, size_t gone)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t n;

    if (!is_trusted(status->st_uid)) {
        note_doubt(walk, PATH_SAY_USER, status->st_uid, true);
        return -EPERM;
    }
    if (++walk->n_links > MOST_LINKS)
        return -ELOOP;
    n = readlinkat(link_fd, "", target, sizeof(target) - 1);
    if (n < 0)
        return -errno;
    target[n] = '\0';
    if (is_of_another_process(walk, link_fd, target))
        return -EXDEV;
    memcpy(rest, walk->rest, sizeof(rest));
    if (snprintf(walk->rest, sizeof(walk->rest), "%s/%s", target, rest) >= PATH_MAX)
        return -ENAMETOOLONG;
    walk->gone[gone] = '\0';
    return target[0] == '/' ? begin_at(walk, "/") : 0;
}

static int open_last(const struct walk *walk, const char *name, int *ret_fd)
{
    const int fd =
        openat(walk->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd < 0)
        return -errno;
    *ret_fd = fd;
    return ARRIVED;
}

/* Walks one name further. 0; ARRIVED: it was the last one, and the file is open; -errno. */
static int step(struct walk *walk, int *ret_fd)
{
    const size_t gone = strlen(walk->gone);
    AUTO_CLOSE int fd = -1;
    char name[NAME_MAX + 1];
    struct stat status;
    int r = next_name(walk, name);

    if (r < 0)
        return r;
    fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0)
        return -errno;
    append_gone(walk, name);
    if (S_ISLNK(status.st_mode))
        return follow(walk, fd, &status, gone);
    look_at(walk, &status);
    if (!*walk->rest)
        return open_last(walk, name, ret_fd);
    cleanup_close(&walk->fd);
    walk->fd = TAKE_FD(fd);
    return 0;
}

int trusted_path_open(const char *path, int *ret_fd, struct path_doubt *ret_doubt)
{
    struct walk walk = {.fd = -1, .doubt = ret_doubt};
    int r;

    *ret_doubt = (struct path_doubt){.who = PATH_SAY_NOBODY};
    if (!*path)
        return -ENOENT;
    if (snprintf(walk.rest, sizeof(walk.rest), "%s", path) >= PATH_MAX)
        return -ENAMETOOLONG;
    r = begin_at(&walk, *path == '/' ? "/" : ".");
    while (r == 0)
        r = step(&walk, ret_fd);
    cleanup_close(&walk.fd);
    return r == ARRIVED ? 0 : r;
}
