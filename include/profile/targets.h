/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whose samples are told apart: the cgroups and the groups of processes that are counted. Who
 * counts them enters them here, on its own thread, whether anybody samples or not; who samples
 * looks them up on another. All functions may be called by any thread.
 *
 * Two who count the same targets, of which the one takes over from the other, enter each of them
 * twice: it is one target, whose samples are counted once, until both have dropped it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "profile/store.h"
#include "sys/bpf/profile/program.h"

struct profile_targets;
struct profile_target;

/* NULL: no memory. It outlives its targets. */
struct profile_targets *profile_targets_new(void);
struct profile_targets *profile_targets_free(struct profile_targets *targets);
DEFINE_AUTO(profile_targets, struct profile_targets *, profile_targets_free)

/* A cgroup. */
struct profile_cgroup {
    uint64_t id;       /* its inode, above 0 */
    const char *path;  /* raw bytes below the mount; begins with a slash */
    const char *label; /* as its series have it */
};

/*
 * Enters a target, whose samples are counted from here on; or, where the same is there, returns a
 * further reference to it. A cgroup is the same if it has the same id, a group if it has the same
 * name, which is its label. NULL: no memory; then its samples are its parent's.
 */
struct profile_target *profile_targets_add_cgroup(struct profile_targets *targets,
                                                  const struct profile_cgroup *cgroup);
struct profile_target *profile_targets_add_group(struct profile_targets *targets, const char *name);

/* Drops a reference: it has ended, or is counted no more. NULL: nothing. Returns NULL. */
struct profile_target *profile_targets_remove(struct profile_targets *targets,
                                              struct profile_target *target);

/*
 * Which processes belong to which group is told in rounds: a round begins, names all of them, and
 * ends; who was not named belongs to no group from then on. Two may take turns, but one round ends
 * before another begins.
 */
struct profile_watched {
    pid_t pid;
    uint64_t start_ticks; /* when it started: with the number it is one process */
    bool children;        /* what it starts belongs to the group, too */
};

void profile_targets_begin_round(struct profile_targets *targets);

/*
 * Names a process of the group. True: who samples does not know of it yet, and is to be told after
 * the end of the round.
 */
bool profile_targets_watch(struct profile_targets *targets, const struct profile_target *group,
                           const struct profile_watched *process);
void profile_targets_end_round(struct profile_targets *targets);

/*
 * Tells who samples which processes such a one consists of now: itself, if it lives, and with
 * children those that descend from it. What these start from here on need not be told. 0; -ENOMEM;
 * -E2BIG: there is no room in the kernel; then the next round asks for it again.
 */
int profile_targets_tell(struct profile_targets *targets, const struct profile_watched *process,
                         const pid_t *pids, size_t n);

/* What was sampled of a target. */
struct profile_reading {
    uint64_t samples;  /* with those of the cgroups below it, since it was entered */
    uint64_t since_ns; /* from when on (CLOCK_MONOTONIC) without a break; 0: it is not sampled */
};

struct profile_reading profile_targets_read(struct profile_targets *targets,
                                            const struct profile_target *target);

/*
 * Tells a program of all cgroups, and from here on of each change; processes are told by the next
 * round. NULL: nobody samples any more.
 */
void profile_targets_attach(struct profile_targets *targets, struct profile_program *program,
                            uint64_t now_ns);

/*
 * The numbers that the cgroup and the group with these numbers (struct profile_sample) have in the
 * store: that of the rest of the machine where it is no cgroup of ours; of *ret_group UINT32_MAX
 * where it is no group.
 */
void profile_targets_find(struct profile_targets *targets, struct profile_store *store,
                          uint32_t cgroup, uint32_t group, uint32_t *ret_cgroup,
                          uint32_t *ret_group);

/* Counts a sample for both, and for all cgroups above the one. */
void profile_targets_count(struct profile_targets *targets, uint32_t cgroup, uint32_t group);
