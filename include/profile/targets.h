/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whose samples are told apart: the cgroups and the groups of processes that are counted. Who
 * counts them enters them here, on its own thread, whether anybody samples or not; who samples
 * looks them up on another. All functions may be called by any thread.
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

/* NULL: no memory. */
struct profile_targets *profile_targets_new(void);
struct profile_targets *profile_targets_free(struct profile_targets *targets);
DEFINE_AUTO(profile_targets, struct profile_targets *, profile_targets_free)

/*
 * Enters a target, under the label that its series have. id: of the cgroup. Its samples are counted
 * from here on. NULL: no memory; then its samples are its parent's.
 */
struct profile_target *profile_targets_add_cgroup(struct profile_targets *targets, uint64_t id,
                                                  const char *label);
struct profile_target *profile_targets_add_group(struct profile_targets *targets,
                                                 const char *label);

/* It has ended, or is counted no more. NULL: nothing. Returns NULL. */
struct profile_target *profile_targets_remove(struct profile_targets *targets,
                                              struct profile_target *target);

/*
 * A process belongs to the group. children: what it starts from here on does, too. 0; -ENOMEM;
 * -E2BIG: there is no room in the kernel.
 */
int profile_targets_watch(struct profile_targets *targets, struct profile_target *group, pid_t pid,
                          bool children);
void profile_targets_unwatch(struct profile_targets *targets, pid_t pid);

/* Samples of a target, with those of the cgroups below it, since it was entered. */
uint64_t profile_targets_samples(struct profile_targets *targets,
                                 const struct profile_target *target);

/* From when on (CLOCK_MONOTONIC) the target has been sampled without a break. 0: it is not. */
uint64_t profile_targets_since_ns(struct profile_targets *targets,
                                  const struct profile_target *target);

/*
 * Tells a program of all targets, and from here on of each change; NULL: nobody samples any more. 0
 * or -errno.
 */
int profile_targets_attach(struct profile_targets *targets, struct profile_program *program,
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
