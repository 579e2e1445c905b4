/* SPDX-License-Identifier: Apache-2.0 */

/*
 * /proc/self/cgroup names the cgroup by a path that need not be one below a mount: a container may
 * have its own cgroup mounted as the root. So a directory passes for ours only where its list of
 * processes has this one.
 */
#include "sys/memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "sys/cgroup_lineage.h"
#include "sys/cgroup_mounts.h"
#include "sys/small_file.h"

#define STAT_SIZE    16384
#define MEMBERS_SIZE 65536
#define RETRY_NS     (10 * NS_PER_SECOND)

/* What v1 has where there is no limit is about half of all that a number can be. */
#define NO_LIMIT (UINT64_C(1) << 62)

/* So many levels are looked at, from the cgroup itself upwards. */
#define MOST_LEVELS ((size_t)32)

/* What the two hierarchies call the same. */
struct files {
    const char *limits[2], *used;
    const char *reclaimable[2]; /* lines of memory.stat */
};

static const struct files files_v1 = {{"memory.limit_in_bytes", NULL},
                                      "memory.usage_in_bytes",
                                      {"total_inactive_file", "total_active_file"}};
static const struct files files_v2 = {
    {"memory.max", "memory.high"}, "memory.current", {"inactive_file", "active_file"}};

void memory_limit_init(struct memory_limit *limit)
{
    *limit = (struct memory_limit){.fd = -1};
}

void memory_limit_done(struct memory_limit *limit)
{
    cleanup_close(&limit->fd);
    memory_limit_init(limit);
}

bool memory_stat_value(const char *text, const char *name, uint64_t *ret_value)
{
    const size_t length = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            *ret_value = strtoull(line + length + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

/* A file of a level: of the cgroup itself (0), or of one that contains it. False: not known. */
static bool read_file(const struct memory_limit *limit, size_t level, const char *name, char *text,
                      size_t size)
{
    char path[3 * MOST_LEVELS + 64] = "";

    for (size_t i = 0; i < level; i++)
        memcpy(path + 3 * i, "../", sizeof("../"));
    (void)snprintf(path + 3 * level, sizeof(path) - 3 * level, "%s", name);
    return small_file_read(limit->fd, path, text, size) == 0;
}

/* A number alone. False: there is none, as "max". */
static bool read_number(const struct memory_limit *limit, size_t level, const char *name,
                        uint64_t *ret_value)
{
    char text[32];

    if (!read_file(limit, level, name, text, sizeof(text)))
        return false;
    text[strcspn(text, "\n")] = '\0';
    return parse_u64(text, ret_value) == 0;
}

/* v1 tells the limit of what contains it also where that is not mounted. */
static uint64_t limit_of_v1(const char *stat, size_t level, uint64_t most)
{
    uint64_t of_all;

    if (level == 0 && memory_stat_value(stat, "hierarchical_memory_limit", &of_all) &&
        of_all < most)
        return of_all;
    return most;
}

static struct memory_room read_level(const struct memory_limit *limit, size_t level)
{
    const struct files *files = limit->v2 ? &files_v2 : &files_v1;
    struct memory_room room = {0};
    uint64_t most = NO_LIMIT, value;
    char stat[STAT_SIZE];

    for (size_t i = 0; i < 2 && files->limits[i]; i++)
        if (read_number(limit, level, files->limits[i], &value) && value < most)
            most = value;
    if (most == NO_LIMIT && (limit->v2 || level > 0))
        return room;
    if (!read_file(limit, level, "memory.stat", stat, sizeof(stat)) ||
        !read_number(limit, level, files->used, &room.used))
        return room;
    if (!limit->v2)
        most = limit_of_v1(stat, level, most);
    for (size_t i = 0; i < 2; i++)
        if (memory_stat_value(stat, files->reclaimable[i], &value))
            room.used -= value < room.used ? value : room.used;
    room.limit = most < NO_LIMIT ? most : 0;
    return room;
}

/* Whether the list of processes of this directory has us. */
static bool is_ours(int fd)
{
    AUTO_FREE char *text = malloc(MEMBERS_SIZE);
    char line[24];
    const int n = snprintf(line, sizeof(line), "\n%d\n", (int)getpid());

    if (!text)
        return false;
    text[0] = '\n';
    return small_file_read(fd, "cgroup.procs", text + 1, MEMBERS_SIZE - 1) == 0 && n > 0 &&
           strstr(text, line);
}

/* Opens the directory of this path below the mount, or the mount itself, if that is ours. */
static int open_ours(const char *mount, const char *path)
{
    AUTO_CLOSE int root = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
    AUTO_CLOSE int below = -1;

    if (root < 0)
        return -errno;
    if (path[0] == '/' && path[1])
        below = openat(root, path + 1, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (below >= 0 && is_ours(below))
        return TAKE_FD(below);
    return is_ours(root) ? TAKE_FD(root) : -ENOENT;
}

/*
 * Our path in the hierarchy of v2 ("0::/path"), or in that of v1 which has this controller
 * ("4:memory:/path"). False: it is in none.
 */
static bool find_path(const char *own, bool v2, char *ret_path, size_t size)
{
    for (const char *line = own; line && *line; line = strchr(line, '\n')) {
        const char *names, *path;
        AUTO_FREE char *list = NULL;
        bool is_it;

        line += *line == '\n';
        names = strchr(line, ':');
        path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            return false;
        list = strndup(names + 1, (size_t)(path - names - 1));
        if (!list)
            return false;
        is_it = v2 ? !*list
                   : strcmp(list, "memory") == 0 || strstr(list, "memory,") == list ||
                         strstr(list, ",memory");
        if (is_it) {
            (void)snprintf(ret_path, size, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
            return true;
        }
    }
    return false;
}

/* Looks in the mounts of one kind. False: the cgroup is not found there. */
static bool find_in(struct memory_limit *limit, int procfs_fd, bool v2)
{
    AUTO_FREE char *buffer = malloc(CGROUP_MOUNT_SIZE);
    AUTO_CLOSE int fd = openat(procfs_fd, "self/mounts", O_RDONLY | O_CLOEXEC);
    char path[sizeof(limit->own)];
    struct cgroup_mount mount;
    FILE *mounts;

    if (!buffer || fd < 0 || !find_path(limit->own, v2, path, sizeof(path)))
        return false;
    mounts = fdopen(fd, "re");
    if (!mounts)
        return false;
    (void)TAKE_FD(fd);
    while (limit->fd < 0 && cgroup_mount_next(mounts, "memory", buffer, &mount))
        if (mount.v2 == v2)
            limit->fd = open_ours(mount.path, path);
    (void)fclose(mounts);
    return limit->fd >= 0;
}

/* v1 comes first: where it has the controller, v2 has not. */
static void find(struct memory_limit *limit, int procfs_fd)
{
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;

    cleanup_close(&limit->fd);
    limit->fd = -1;
    limit->retry_ns = clock_monotonic_ns() + RETRY_NS;
    limit->v2 = !find_in(limit, procfs_fd, false);
    if (limit->v2 && !find_in(limit, procfs_fd, true))
        return;
    limit->n_levels = cgroup_lineage_read(limit->fd, &lineage) == 0 ? lineage->n : 1;
    if (limit->n_levels > MOST_LEVELS)
        limit->n_levels = MOST_LEVELS;
}

/* Whether the process is in another cgroup than at the last look. */
static bool has_moved(struct memory_limit *limit, int procfs_fd)
{
    char own[sizeof(limit->own)] = "";

    if (small_file_read(procfs_fd, "self/cgroup", own, sizeof(own)) < 0 ||
        strcmp(own, limit->own) == 0)
        return false;
    memcpy(limit->own, own, sizeof(own));
    return true;
}

struct memory_room memory_limit_read(struct memory_limit *limit, int procfs_fd)
{
    struct memory_room nearest = {0};

    if (has_moved(limit, procfs_fd) || (limit->fd < 0 && clock_monotonic_ns() >= limit->retry_ns))
        find(limit, procfs_fd);
    for (size_t level = 0; limit->fd >= 0 && level < limit->n_levels; level++) {
        const struct memory_room room = read_level(limit, level);

        if (room.limit && (!nearest.limit || memory_room_left(&room) < memory_room_left(&nearest)))
            nearest = room;
    }
    return nearest;
}
