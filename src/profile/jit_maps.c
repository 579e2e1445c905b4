/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/jit_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/open_object.h"
#include "sys/small_file.h"

#define AGAIN_NS  (5 * NS_PER_SECOND)
#define FORGET_NS (120 * NS_PER_SECOND)

/* A map that found no room would be read for nothing. */
#define WITHOUT_ROOM_NS (60 * NS_PER_SECOND)

/* All maps together take no more: the largest one goes, and has no names until there is room. */
#define KEPT_BYTES ((size_t)8 * 1024 * 1024)

#define OWNER "[jit]"

struct jit_process {
    pid_t pid;
    uint64_t memory;      /* of which the map is */
    struct perf_map *map; /* NULL: none */
    size_t bytes;
    bool is_wanted;     /* it is to be read */
    bool is_waited_for; /* it will be, since samples have met code that it did not have */
    uint64_t opened_ns; /* when it was opened last; read_ns: likewise, of the map that is there */
    uint64_t read_ns;
    uint64_t again_ns, used_ns; /* again_ns: it is not read before */
    UT_hash_handle hh;
};

struct jit_maps {
    struct profile_store *store;
    struct jit_process *processes;
    pid_t job; /* whose map is being read; 0: none */
    size_t bytes;
    uint64_t without_room; /* maps that found none, or lost it */
    int procfs_fd;
};

struct jit_maps *jit_maps_new(struct profile_store *store, int procfs_fd)
{
    struct jit_maps *maps = calloc(1, sizeof(*maps));

    if (maps) {
        maps->store = store;
        maps->procfs_fd = procfs_fd;
    }
    return maps;
}

static void drop_map(struct jit_maps *maps, struct jit_process *process)
{
    maps->bytes -= process->bytes;
    process->bytes = 0;
    process->map = perf_map_free(process->map);
}

static void forget(struct jit_maps *maps, struct jit_process *process)
{
    drop_map(maps, process);
    HASH_DEL(maps->processes, process);
    free(process);
}

struct jit_maps *jit_maps_free(struct jit_maps *maps)
{
    struct jit_process *process, *next;

    if (!maps)
        return NULL;
    HASH_ITER(hh, maps->processes, process, next)
        forget(maps, process);
    free(maps);
    return NULL;
}

static struct jit_process *find(const struct jit_maps *maps, pid_t pid)
{
    struct jit_process *process;

    HASH_FIND(hh, maps->processes, &pid, sizeof(pid), process);
    return process;
}

static struct jit_process *enter(struct jit_maps *maps, pid_t pid, uint64_t memory)
{
    struct jit_process *process = calloc(1, sizeof(*process));

    if (!process)
        return NULL;
    process->pid = pid;
    process->memory = memory;
    process->is_wanted = true;
    HASH_ADD(hh, maps->processes, pid, sizeof(process->pid), process);
    if (!process->hh.tbl) {
        free(process);
        return NULL;
    }
    return process;
}

/* The process, as long as it has this memory: another one is of another program, by exec. */
static struct jit_process *find_with(struct jit_maps *maps, const struct jit_place *place)
{
    struct jit_process *process = find(maps, place->pid);

    if (process && process->memory != place->memory) {
        forget(maps, process);
        process = NULL;
    }
    return process ? process : enter(maps, place->pid, place->memory);
}

/* Whether a place that has no name may get one: code is written to the map when it is made. */
static bool may_be_named(struct jit_process *process, const struct jit_place *place,
                         uint64_t now_ns)
{
    const bool is_younger = process->map && place->time_ns >= process->read_ns;

    process->is_waited_for |= is_younger;
    if (now_ns >= process->again_ns)
        process->is_wanted = true;
    return process->is_wanted || is_younger;
}

bool jit_maps_function(struct jit_maps *maps, const struct jit_place *place, uint64_t now_ns,
                       uint32_t *ret_function)
{
    struct jit_process *process = find_with(maps, place);
    const struct perf_map_row *row = NULL;

    if (process) {
        process->used_ns = now_ns;
        row = process->map ? perf_map_find(process->map, place->address) : NULL;
        if (!row && may_be_named(process, place, now_ns))
            return false;
    }
    *ret_function =
        profile_store_function(maps->store, PROFILE_JIT, OWNER, row ? row->name : "[unnamed]");
    return true;
}

/* What /proc/PID/status tells: the user, and the number in the innermost PID namespace. */
static int read_status(const struct jit_maps *maps, pid_t pid, uid_t *ret_uid, long *ret_number)
{
    char name[32], text[8192];
    const char *line, *last;
    int r;

    (void)snprintf(name, sizeof(name), "%d/status", (int)pid);
    r = small_file_read(maps->procfs_fd, name, text, sizeof(text));
    if (r < 0)
        return r;
    line = strstr(text, "\nUid:");
    if (!line)
        return -EBADMSG;
    /* real, effective: files are made by the effective user */
    line = strchr(line + strlen("\nUid:") + 1, '\t');
    if (!line)
        return -EBADMSG;
    *ret_uid = (uid_t)strtoul(line, NULL, 10);
    *ret_number = (long)pid;
    line = strstr(text, "\nNSpid:");
    last = line ? strchr(line + 1, '\n') : NULL;
    while (line && last && last > line && last[-1] != '\t')
        last--;
    if (line && last && last > line)
        *ret_number = strtol(last, NULL, 10);
    return 0;
}

/*
 * Whether a process, by its directory in /proc, is in our user namespace. One that is not may have
 * mounted a file system that it serves itself, and answers when it likes.
 */
static bool is_in_our_user_namespace(int process)
{
    struct stat ours, its;

    if (stat("/proc/self/ns/user", &ours) < 0)
        return errno == ENOENT; /* this kernel has none */
    return fstatat(process, "ns/user", &its, 0) == 0 && its.st_dev == ours.st_dev &&
           its.st_ino == ours.st_ino;
}

/*
 * The root directory that a process has. It is taken before its user namespace is looked at, which
 * it can leave for one of its own, but not for ours.
 */
static int open_root(const struct jit_maps *maps, pid_t pid)
{
    char name[16];
    AUTO_CLOSE int process = -1, root = -1;

    (void)snprintf(name, sizeof(name), "%d", (int)pid);
    process = openat(maps->procfs_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    root = process < 0 ? -1 : openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -errno;
    return is_in_our_user_namespace(process) ? TAKE_FD(root) : -EPERM;
}

/* Anybody can make a file of this name: what is no file of the process's user is not opened. */
static int open_map(const struct jit_maps *maps, pid_t pid)
{
    char name[64];
    struct stat status;
    AUTO_CLOSE int root = -1, found = -1;
    uid_t uid;
    long number;
    int r = read_status(maps, pid, &uid, &number);

    root = r < 0 ? r : open_root(maps, pid);
    if (root < 0)
        return root;
    (void)snprintf(name, sizeof(name), "tmp/perf-%ld.map", number);
    found = openat(root, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (found < 0)
        return -errno;
    if (fstat(found, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != uid)
        return -EPERM;
    return open_found(found);
}

bool jit_maps_next_job(struct jit_maps *maps, uint64_t now_ns, struct object_job *ret_job)
{
    struct jit_process *process, *next;

    HASH_ITER(hh, maps->processes, process, next) {
        int fd;

        if (!process->is_wanted && !(process->is_waited_for && now_ns >= process->again_ns))
            continue;
        process->is_wanted = process->is_waited_for = false;
        process->again_ns = now_ns + AGAIN_NS;
        fd = open_map(maps, process->pid);
        if (fd < 0)
            continue;
        process->is_wanted = true; /* until it is there */
        process->opened_ns = now_ns;
        maps->job = process->pid;
        *ret_job = (struct object_job){.kind = OBJECT_JOB_MAP, .fd = fd, .debug_fd = -1};
        return true;
    }
    return false;
}

static struct jit_process *find_largest(const struct jit_maps *maps)
{
    struct jit_process *process, *next, *largest = NULL;

    HASH_ITER(hh, maps->processes, process, next)
        if (process->bytes > 0 && (!largest || process->bytes > largest->bytes))
            largest = process;
    return largest;
}

/* Drops the largest maps until there is room; they are not read again for a while. */
static void bound_maps(struct jit_maps *maps, uint64_t now_ns)
{
    struct jit_process *largest;

    while (maps->bytes > KEPT_BYTES && (largest = find_largest(maps))) {
        drop_map(maps, largest);
        largest->again_ns = now_ns + WITHOUT_ROOM_NS;
        maps->without_room++;
    }
}

void jit_maps_take(struct jit_maps *maps, const struct object_result *result, uint64_t now_ns)
{
    struct jit_process *process = find(maps, maps->job);
    struct perf_map *map = NULL;

    maps->job = 0;
    if (!process)
        return;
    process->is_wanted = false;
    process->again_ns = now_ns + AGAIN_NS;
    if (result->outcome != OBJECT_READ || perf_map_parse(result->bytes, result->n, &map) < 0)
        return;
    drop_map(maps, process);
    process->map = map;
    process->read_ns = process->opened_ns;
    process->bytes = result->n;
    maps->bytes += result->n;
    bound_maps(maps, now_ns);
}

void jit_maps_sweep(struct jit_maps *maps, uint64_t now_ns)
{
    struct jit_process *process, *next;

    HASH_ITER(hh, maps->processes, process, next)
        if (now_ns >= process->used_ns + FORGET_NS && process->pid != maps->job)
            forget(maps, process);
}

uint64_t jit_maps_without_room(const struct jit_maps *maps)
{
    return maps->without_room;
}

size_t jit_maps_bytes(const struct jit_maps *maps)
{
    return maps->bytes + HASH_COUNT(maps->processes) * sizeof(struct jit_process);
}
