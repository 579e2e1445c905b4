/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Counted cgroups that contain each other. A task runs in its cgroup and in all that contain it,
 * and each of these that is counted brings its own counters. So what a CPU needs at once is the sum
 * over a chain of nested cgroups.
 */

#include <stdbool.h>
#include <stddef.h>

#include "count/pmu_budget.h"
#include "target/cgroup_rules.h"

/* A cgroup that is counted. */
struct nested_cgroup {
    const char *path;
    size_t counters; /* how many counters of a CPU the cgroup needs */
    bool holds;      /* it has these counters */
    void *owner;     /* the caller's own: nothing here looks at it */
    /* cgroup_nesting_admit() works with these; they mean nothing to the caller. */
    size_t parent, above, below;
};

/*
 * Gives counters to each cgroup that has none and fits, ancestors first. A cgroup fits if no chain
 * through it takes more than the budget, together with the cgroups above and below that hold
 * counters. Whoever holds counters keeps them. Sorts the array by path. Returns how many counters
 * the chain that takes most has now.
 */
size_t cgroup_nesting_admit(struct nested_cgroup *cgroups, size_t n, size_t budget);

/*
 * Finds out how the cgroups that the rules want nest now, by one walk over the tree. It has one
 * directory open for each level. Strangers make cgroups, so the walk is bounded: it does not see
 * what lies deeper than 100 levels, or beyond 20,000 directories. 0; -ENOMEM; -errno if the root
 * cannot be read.
 */
int cgroup_nesting_read(int root_fd, const struct cgroup_rules *rules, size_t n_rules,
                        struct pmu_chains **ret_chains);
