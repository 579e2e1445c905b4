/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cgroup_root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "sys/cgroup_mounts.h"
#include "sys/small_file.h"

/*
 * The controller perf_event belongs to one hierarchy. While somebody has mounted it in v1, the
 * kernel takes it away from v2; otherwise it belongs to v2, where it is implicit and no list names
 * it. So a v1 mount of perf_event is taken if there is one. Else any mount of cgroup2 will do,
 * since there is only one v2 hierarchy.
 */

void cgroup_root_done(struct cgroup_root *root)
{
    if (root->fd >= 0)
        (void)close(root->fd);
    free(root->path);
    *root = (struct cgroup_root){.fd = -1};
}

bool cgroup_root_same(const struct cgroup_root *a, const struct cgroup_root *b)
{
    struct stat status_a, status_b;

    if (a->fd < 0 || b->fd < 0)
        return a->fd < 0 && b->fd < 0;
    return fstat(a->fd, &status_a) == 0 && fstat(b->fd, &status_b) == 0 &&
           status_a.st_dev == status_b.st_dev && status_a.st_ino == status_b.st_ino;
}

static bool has_file(int directory_fd, const char *name)
{
    return faccessat(directory_fd, name, F_OK, 0) == 0;
}

bool cgroup_is_machine(int directory_fd)
{
    struct statfs status;

    /* a removed cgroup has no files at all, and would look like the root of v2 */
    if (fstatfs(directory_fd, &status) < 0 || !has_file(directory_fd, "cgroup.procs"))
        return false;
    if (status.f_type == CGROUP2_SUPER_MAGIC)
        return !has_file(directory_fd, "cgroup.events");
    return status.f_type == CGROUP_SUPER_MAGIC && has_file(directory_fd, "release_agent");
}

enum hierarchy { ANY_HIERARCHY, ONLY_V1, ONLY_V2 };

/* 0; -ENOENT: the path does not exist, or is no cgroup file system of this kind; -errno. */
static int open_root(const char *path, enum hierarchy wanted, struct cgroup_root *ret_root)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct statfs status;
    bool v1, v2;
    char *copy;

    if (fd < 0)
        return errno == ENOTDIR ? -ENOENT : -errno;
    if (fstatfs(fd, &status) < 0)
        return -errno;
    v1 = status.f_type == CGROUP_SUPER_MAGIC;
    v2 = status.f_type == CGROUP2_SUPER_MAGIC;
    if (!(v1 && wanted != ONLY_V2) && !(v2 && wanted != ONLY_V1))
        return -ENOENT;
    copy = strdup(path);
    if (!copy)
        return -ENOMEM;
    *ret_root = (struct cgroup_root){.fd = TAKE_FD(fd), .path = copy, .v2 = v2};
    return 0;
}

/* Tries every mount of this kind. */
static int open_mounted(enum hierarchy wanted, struct cgroup_root *ret_root)
{
    AUTO_FREE char *buffer = malloc(CGROUP_MOUNT_SIZE);
    FILE *mounts = buffer ? fopen("/proc/self/mounts", "re") : NULL;
    struct cgroup_mount mount;
    int r = -ENOENT;

    if (!mounts)
        return buffer ? -ENOENT : -ENOMEM;
    while (r == -ENOENT && cgroup_mount_next(mounts, "perf_event", buffer, &mount))
        if (mount.v2 == (wanted == ONLY_V2))
            r = open_root(mount.path, wanted, ret_root);
    (void)fclose(mounts);
    return r;
}

static int open_below_path(const char *path, const char *name, enum hierarchy wanted,
                           struct cgroup_root *ret_root)
{
    AUTO_FREE char *joined = NULL;

    if (asprintf(&joined, "%s/%s", path, name) < 0) {
        joined = NULL;
        return -ENOMEM;
    }
    return open_root(joined, wanted, ret_root);
}

static int open_given(const char *path, struct cgroup_root *ret_root)
{
    int r = open_root(path, ANY_HIERARCHY, ret_root);

    if (r == -ENOENT)
        r = open_below_path(path, "perf_event", ONLY_V1, ret_root);
    if (r == -ENOENT)
        r = open_below_path(path, "unified", ONLY_V2, ret_root);
    return r;
}

/* Tries the usual places, where the list of mounts cannot be read. */
static int open_usual(struct cgroup_root *ret_root)
{
    static const char *const paths[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    int r = -ENOENT;

    for (size_t i = 0; i < ARRAY_SIZE(paths) && r == -ENOENT; i++)
        r = open_root(paths[i], ONLY_V2, ret_root);
    return r;
}

int cgroup_root_open(const char *path, struct cgroup_root *ret_root)
{
    int r;

    if (path)
        return open_given(path, ret_root);
    r = open_mounted(ONLY_V1, ret_root);
    if (r == -ENOENT)
        r = open_mounted(ONLY_V2, ret_root);
    return r == -ENOENT ? open_usual(ret_root) : r;
}

int cgroup_perf_event_hierarchy(int procfs_fd)
{
    char text[4096];
    int r = small_file_read(procfs_fd, "cgroups", text, sizeof(text));

    return r < 0 ? r : cgroup_parse_hierarchy(text, "perf_event");
}

bool cgroup_is_removed(int directory_fd)
{
    return faccessat(directory_fd, "cgroup.procs", F_OK, 0) < 0 &&
           (errno == ENOENT || errno == ENODEV);
}
