/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A target has a number for the program in the kernel, which is never given again, so that a sample
 * that is read late belongs to nobody else. A cgroup's samples are those of all cgroups above it,
 * too, as its counts are: those above it are found by their paths. Labels would not do, since those
 * of unclean paths are encoded as a whole.
 */
#include "profile/targets.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "profile/watched_processes.h"

struct profile_target {
    uint32_t number;
    size_t references;
    uint64_t cgroup; /* its id; 0: it is a group of processes */
    char *path;      /* of the cgroup, raw; NULL: it is a group */
    char *label;
    uint64_t samples, since_ns;
    uint32_t in_store;   /* its number there */
    uint64_t generation; /* of the store; 0: it has no number yet */
    UT_hash_handle hh, hh_key, hh_path;
};

struct profile_targets {
    pthread_mutex_t lock;
    struct hash_key hash_key; /* secret, since strangers choose paths and names */
    struct profile_target *by_number;
    struct profile_target *by_id;   /* cgroups */
    struct profile_target *by_name; /* groups */
    struct profile_target *by_path; /* cgroups; of one path the latest */
    struct watched_processes watched;
    uint32_t last_number;
    bool has_room;                   /* a cgroup has gone, so that another may find room now */
    struct profile_program *program; /* NULL: nobody samples */
};

struct profile_targets *profile_targets_new(void)
{
    struct profile_targets *targets = calloc(1, sizeof(*targets));

    if (!targets)
        return NULL;
    hash_key_draw(&targets->hash_key);
    (void)pthread_mutex_init(&targets->lock, NULL);
    return targets;
}

/* Takes it out of all tables in which it is, and frees it. The lock is held, or nobody is left. */
static void drop(struct profile_targets *targets, struct profile_target *target)
{
    if (target->hh.tbl)
        HASH_DELETE(hh, targets->by_number, target);
    if (target->hh_key.tbl && target->cgroup)
        HASH_DELETE(hh_key, targets->by_id, target);
    else if (target->hh_key.tbl)
        HASH_DELETE(hh_key, targets->by_name, target);
    if (target->hh_path.tbl)
        HASH_DELETE(hh_path, targets->by_path, target);
    free(target->path);
    free(target->label);
    free(target);
}

struct profile_targets *profile_targets_free(struct profile_targets *targets)
{
    struct profile_target *target, *next;

    if (!targets)
        return NULL;
    HASH_ITER(hh, targets->by_number, target, next)
        drop(targets, target);
    watched_processes_done(&targets->watched);
    (void)pthread_mutex_destroy(&targets->lock);
    free(targets);
    return NULL;
}

static unsigned hash(const struct profile_targets *targets, const char *text, size_t n)
{
    return (unsigned)keyed_hash(&targets->hash_key, text, n);
}

/* The cgroup with this path of n bytes. */
static struct profile_target *find_path(const struct profile_targets *targets, const char *path,
                                        size_t n)
{
    struct profile_target *target;

    HASH_FIND_BYHASHVALUE(hh_path, targets->by_path, path, n, hash(targets, path, n), target);
    return target;
}

static struct profile_target *find_id(const struct profile_targets *targets, uint64_t id)
{
    struct profile_target *target;

    HASH_FIND(hh_key, targets->by_id, &id, sizeof(id), target);
    return target;
}

static struct profile_target *find_name(const struct profile_targets *targets, const char *name)
{
    const size_t n = strlen(name);
    struct profile_target *target;

    HASH_FIND_BYHASHVALUE(hh_key, targets->by_name, name, n, hash(targets, name, n), target);
    return target;
}

/* Enters a cgroup under its id and its path. False: no memory. */
static bool enter_cgroup(struct profile_targets *targets, struct profile_target *target)
{
    const size_t n = strlen(target->path);
    struct profile_target *before = find_path(targets, target->path, n);

    if (before) { /* it was reborn under the same path, and somebody still has the former */
        HASH_DELETE(hh_path, targets->by_path, before);
        before->hh_path.tbl = NULL;
    }
    HASH_ADD_KEYPTR_BYHASHVALUE(hh_path, targets->by_path, target->path, n,
                                hash(targets, target->path, n), target);
    HASH_ADD(hh_key, targets->by_id, cgroup, sizeof(target->cgroup), target);
    return target->hh_path.tbl && target->hh_key.tbl;
}

static bool enter_group(struct profile_targets *targets, struct profile_target *target)
{
    const size_t n = strlen(target->label);

    HASH_ADD_KEYPTR_BYHASHVALUE(hh_key, targets->by_name, target->label, n,
                                hash(targets, target->label, n), target);
    return target->hh_key.tbl;
}

/* Has the program charge it. Where there is no room its samples are its parent's. */
static void tell(const struct profile_targets *targets, struct profile_target *target,
                 uint64_t now_ns)
{
    const bool is_told =
        targets->program &&
        (!target->cgroup ||
         profile_program_set_cgroup(targets->program, target->cgroup, target->number) == 0);

    target->since_ns = is_told ? now_ns : 0;
}

/* cgroup: NULL: it is a group. NULL: no memory. The lock is held. */
static struct profile_target *make(struct profile_targets *targets,
                                   const struct profile_cgroup *cgroup, const char *label)
{
    struct profile_target *target = calloc(1, sizeof(*target));
    bool is_whole;

    if (!target)
        return NULL;
    target->number = ++targets->last_number;
    target->cgroup = cgroup ? cgroup->id : 0;
    target->path = cgroup ? strdup(cgroup->path) : NULL;
    target->label = strdup(label);
    is_whole = target->label && (target->path || !cgroup);
    if (is_whole)
        HASH_ADD(hh, targets->by_number, number, sizeof(target->number), target);
    is_whole = is_whole && target->hh.tbl &&
               (cgroup ? enter_cgroup(targets, target) : enter_group(targets, target));
    if (!is_whole) {
        drop(targets, target);
        return NULL;
    }
    tell(targets, target, clock_monotonic_ns());
    return target;
}

struct profile_target *profile_targets_add_cgroup(struct profile_targets *targets,
                                                  const struct profile_cgroup *cgroup)
{
    struct profile_target *target;

    (void)pthread_mutex_lock(&targets->lock);
    target = find_id(targets, cgroup->id);
    if (!target)
        target = make(targets, cgroup, cgroup->label);
    if (target)
        target->references++;
    (void)pthread_mutex_unlock(&targets->lock);
    return target;
}

struct profile_target *profile_targets_add_group(struct profile_targets *targets, const char *name)
{
    struct profile_target *target;

    (void)pthread_mutex_lock(&targets->lock);
    target = find_name(targets, name);
    if (!target)
        target = make(targets, NULL, name);
    if (target)
        target->references++;
    (void)pthread_mutex_unlock(&targets->lock);
    return target;
}

struct profile_target *profile_targets_remove(struct profile_targets *targets,
                                              struct profile_target *target)
{
    if (!target)
        return NULL;
    (void)pthread_mutex_lock(&targets->lock);
    if (--target->references == 0) {
        if (target->cgroup && targets->program)
            profile_program_clear_cgroup(targets->program, target->cgroup);
        targets->has_room |= target->cgroup != 0;
        drop(targets, target);
    }
    (void)pthread_mutex_unlock(&targets->lock);
    return NULL;
}

/* Cgroups for which there was no room may find some where another has gone. */
static void tell_refused(const struct profile_targets *targets)
{
    const uint64_t now_ns = clock_monotonic_ns();
    struct profile_target *target, *next;

    HASH_ITER(hh, targets->by_number, target, next)
        if (target->since_ns == 0)
            tell(targets, target, now_ns);
}

void profile_targets_begin_round(struct profile_targets *targets)
{
    (void)pthread_mutex_lock(&targets->lock);
    watched_processes_begin_round(&targets->watched);
    if (targets->has_room && targets->program)
        tell_refused(targets);
    targets->has_room = false;
    (void)pthread_mutex_unlock(&targets->lock);
}

bool profile_targets_watch(struct profile_targets *targets, const struct profile_target *group,
                           const struct profile_watched *process)
{
    bool is_to_tell;

    (void)pthread_mutex_lock(&targets->lock);
    is_to_tell =
        watched_processes_name(&targets->watched, group->number, process) && targets->program;
    (void)pthread_mutex_unlock(&targets->lock);
    return is_to_tell;
}

void profile_targets_end_round(struct profile_targets *targets)
{
    (void)pthread_mutex_lock(&targets->lock);
    watched_processes_end_round(&targets->watched, targets->program);
    (void)pthread_mutex_unlock(&targets->lock);
}

int profile_targets_tell(struct profile_targets *targets, const struct profile_watched *process,
                         const pid_t *pids, size_t n)
{
    int r = 0;

    (void)pthread_mutex_lock(&targets->lock);
    if (targets->program)
        r = watched_processes_tell(&targets->watched, targets->program, process, pids, n);
    (void)pthread_mutex_unlock(&targets->lock);
    return r;
}

struct profile_reading profile_targets_read(struct profile_targets *targets,
                                            const struct profile_target *target)
{
    struct profile_reading reading;

    (void)pthread_mutex_lock(&targets->lock);
    reading = (struct profile_reading){target->samples, target->since_ns};
    (void)pthread_mutex_unlock(&targets->lock);
    return reading;
}

void profile_targets_attach(struct profile_targets *targets, struct profile_program *program,
                            uint64_t now_ns)
{
    struct profile_target *target, *next;

    (void)pthread_mutex_lock(&targets->lock);
    targets->program = program;
    watched_processes_forget(&targets->watched);
    HASH_ITER(hh, targets->by_number, target, next)
        tell(targets, target, now_ns);
    (void)pthread_mutex_unlock(&targets->lock);
}

static struct profile_target *find_number(const struct profile_targets *targets, uint32_t number)
{
    struct profile_target *target = NULL;

    if (number > 0)
        HASH_FIND(hh, targets->by_number, &number, sizeof(number), target);
    return target;
}

static uint32_t number_in_store(struct profile_store *store, struct profile_target *target)
{
    const uint64_t generation = profile_store_generation(store) + 1;

    if (target->generation != generation)
        target->in_store = profile_store_target(
            store, target->cgroup ? PROFILE_CGROUP : PROFILE_PROCESSES, target->label);
    target->generation = generation;
    return target->in_store;
}

/* Counts the sample for a cgroup and for all that are above it. */
static void count_lineage(struct profile_targets *targets, struct profile_target *target)
{
    const char *path = target->path;
    struct profile_target *root = path[1] ? find_path(targets, "/", 1) : NULL;

    target->samples++;
    for (size_t n = strlen(path); n > 1; n--) {
        struct profile_target *above;

        if (path[n - 1] != '/')
            continue;
        above = find_path(targets, path, n - 1);
        if (above)
            above->samples++;
    }
    if (root)
        root->samples++;
}

void profile_targets_find(struct profile_targets *targets, struct profile_store *store,
                          uint32_t cgroup, uint32_t group, uint32_t *ret_cgroup,
                          uint32_t *ret_group)
{
    struct profile_target *target;

    (void)pthread_mutex_lock(&targets->lock);
    target = find_number(targets, cgroup);
    *ret_cgroup = target ? number_in_store(store, target) : UINT32_MAX;
    if (*ret_cgroup == UINT32_MAX) /* no cgroup of ours, or one too many */
        *ret_cgroup = profile_store_target(store, PROFILE_MACHINE, "");
    target = find_number(targets, group);
    *ret_group = target ? number_in_store(store, target) : UINT32_MAX;
    (void)pthread_mutex_unlock(&targets->lock);
}

void profile_targets_count(struct profile_targets *targets, uint32_t cgroup, uint32_t group)
{
    struct profile_target *target;

    (void)pthread_mutex_lock(&targets->lock);
    target = find_number(targets, cgroup);
    if (target)
        count_lineage(targets, target);
    target = find_number(targets, group);
    if (target)
        target->samples++;
    (void)pthread_mutex_unlock(&targets->lock);
}
