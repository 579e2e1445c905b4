/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A target has a number for the program in the kernel, which is never given again, so that a sample
 * that is read late belongs to nobody else. A cgroup's samples are those of all cgroups above it,
 * too, as its counts are: those above it are found by their paths.
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

struct profile_target {
    uint32_t number;
    uint64_t cgroup; /* its id; 0: it is a group of processes */
    char *label;
    uint64_t samples, since_ns;
    uint32_t in_store;   /* its number there */
    uint64_t generation; /* of the store; 0: it has no number yet */
    UT_hash_handle hh, hh_label;
};

/* A process that belongs to a group. */
struct watched_pid {
    pid_t pid;
    uint32_t number;
    bool children;
    UT_hash_handle hh;
};

struct profile_targets {
    pthread_mutex_t lock;
    struct hash_key hash_key; /* secret, since strangers choose labels */
    struct profile_target *by_number;
    struct profile_target *by_label; /* cgroups only */
    struct watched_pid *watched;
    uint32_t last_number;
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

static void free_target(struct profile_target *target)
{
    free(target->label);
    free(target);
}

struct profile_targets *profile_targets_free(struct profile_targets *targets)
{
    struct profile_target *target, *next;
    struct watched_pid *watched, *next_watched;

    if (!targets)
        return NULL;
    HASH_ITER(hh, targets->by_number, target, next) {
        HASH_DELETE(hh, targets->by_number, target);
        if (target->hh_label.tbl)
            HASH_DELETE(hh_label, targets->by_label, target);
        free_target(target);
    }
    HASH_ITER(hh, targets->watched, watched, next_watched) {
        HASH_DEL(targets->watched, watched);
        free(watched);
    }
    (void)pthread_mutex_destroy(&targets->lock);
    free(targets);
    return NULL;
}

static unsigned hash_label(const struct profile_targets *targets, const char *label, size_t n)
{
    return (unsigned)keyed_hash(&targets->hash_key, label, n);
}

static struct profile_target *find_label(const struct profile_targets *targets, const char *label,
                                         size_t n)
{
    struct profile_target *target;

    HASH_FIND_BYHASHVALUE(hh_label, targets->by_label, label, n, hash_label(targets, label, n),
                          target);
    return target;
}

/* Enters it in both tables. False: no memory. The lock is held. */
static bool enter(struct profile_targets *targets, struct profile_target *target)
{
    const size_t n = strlen(target->label);
    struct profile_target *before = target->cgroup ? find_label(targets, target->label, n) : NULL;

    target->number = ++targets->last_number;
    HASH_ADD(hh, targets->by_number, number, sizeof(target->number), target);
    if (!target->hh.tbl)
        return false;
    if (before) { /* it lingers, and was reborn under the same path */
        HASH_DELETE(hh_label, targets->by_label, before);
        before->hh_label.tbl = NULL;
    }
    if (!target->cgroup)
        return true;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh_label, targets->by_label, target->label, n,
                                hash_label(targets, target->label, n), target);
    if (target->hh_label.tbl)
        return true;
    HASH_DELETE(hh, targets->by_number, target);
    return false;
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

static struct profile_target *add(struct profile_targets *targets, uint64_t id, const char *label)
{
    struct profile_target *target = calloc(1, sizeof(*target));
    bool is_entered;

    if (!target)
        return NULL;
    target->cgroup = id;
    target->label = strdup(label);
    if (!target->label) {
        free_target(target);
        return NULL;
    }
    (void)pthread_mutex_lock(&targets->lock);
    is_entered = enter(targets, target);
    if (is_entered)
        tell(targets, target, clock_monotonic_ns());
    (void)pthread_mutex_unlock(&targets->lock);
    if (is_entered)
        return target;
    free_target(target);
    return NULL;
}

struct profile_target *profile_targets_add_cgroup(struct profile_targets *targets, uint64_t id,
                                                  const char *label)
{
    return add(targets, id, label);
}

struct profile_target *profile_targets_add_group(struct profile_targets *targets, const char *label)
{
    return add(targets, 0, label);
}

struct profile_target *profile_targets_remove(struct profile_targets *targets,
                                              struct profile_target *target)
{
    if (!target)
        return NULL;
    (void)pthread_mutex_lock(&targets->lock);
    HASH_DELETE(hh, targets->by_number, target);
    if (target->hh_label.tbl)
        HASH_DELETE(hh_label, targets->by_label, target);
    if (target->cgroup && targets->program)
        profile_program_clear_cgroup(targets->program, target->cgroup);
    (void)pthread_mutex_unlock(&targets->lock);
    free_target(target);
    return NULL;
}

int profile_targets_watch(struct profile_targets *targets, struct profile_target *group, pid_t pid,
                          bool children)
{
    struct watched_pid *watched;
    int r = 0;

    (void)pthread_mutex_lock(&targets->lock);
    HASH_FIND(hh, targets->watched, &pid, sizeof(pid), watched);
    if (!watched) {
        watched = calloc(1, sizeof(*watched));
        if (watched) {
            watched->pid = pid;
            HASH_ADD(hh, targets->watched, pid, sizeof(watched->pid), watched);
        }
        if (watched && !watched->hh.tbl)
            free(TAKE(watched));
    }
    if (watched) {
        watched->number = group->number;
        watched->children = children;
        r = targets->program ? profile_program_watch(targets->program, pid, group->number, children)
                             : 0;
    }
    (void)pthread_mutex_unlock(&targets->lock);
    return watched ? r : -ENOMEM;
}

void profile_targets_unwatch(struct profile_targets *targets, pid_t pid)
{
    struct watched_pid *watched;

    (void)pthread_mutex_lock(&targets->lock);
    HASH_FIND(hh, targets->watched, &pid, sizeof(pid), watched);
    if (watched) {
        HASH_DEL(targets->watched, watched);
        free(watched);
        if (targets->program)
            profile_program_unwatch(targets->program, pid);
    }
    (void)pthread_mutex_unlock(&targets->lock);
}

uint64_t profile_targets_samples(struct profile_targets *targets,
                                 const struct profile_target *target)
{
    uint64_t n;

    (void)pthread_mutex_lock(&targets->lock);
    n = target->samples;
    (void)pthread_mutex_unlock(&targets->lock);
    return n;
}

uint64_t profile_targets_since_ns(struct profile_targets *targets,
                                  const struct profile_target *target)
{
    uint64_t since_ns;

    (void)pthread_mutex_lock(&targets->lock);
    since_ns = target->since_ns;
    (void)pthread_mutex_unlock(&targets->lock);
    return since_ns;
}

int profile_targets_attach(struct profile_targets *targets, struct profile_program *program,
                           uint64_t now_ns)
{
    struct profile_target *target, *next;
    struct watched_pid *watched, *next_watched;
    int r = 0;

    (void)pthread_mutex_lock(&targets->lock);
    targets->program = program;
    HASH_ITER(hh, targets->by_number, target, next)
        tell(targets, target, now_ns);
    HASH_ITER(hh, targets->watched, watched, next_watched) {
        int told = program ? profile_program_watch(program, watched->pid, watched->number,
                                                   watched->children)
                           : 0;

        r = told < 0 ? told : r;
    }
    (void)pthread_mutex_unlock(&targets->lock);
    return r;
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
    const char *label = target->label;

    target->samples++;
    for (size_t n = strlen(label); n > 1; n--) {
        struct profile_target *above;

        if (label[n - 1] != '/')
            continue;
        above = find_label(targets, label, n - 1);
        if (above)
            above->samples++;
    }
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
