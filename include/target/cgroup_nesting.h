/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which of the cgroups that are counted contain others: each of them brings its own
 * counters, and a task runs in all of them at once.
 */

#include <stdbool.h>
#include <stddef.h>

#include "count/pmu_budget.h"
#include "target/cgroup_rules.h"

/* A cgroup that is counted. */
struct nested_cgroup {
    const char *path;
    size_t counters; /* that it takes on a CPU, or would */
    bool holds;      /* it has them */
    void *owner;     /* the caller's own */
    /* of cgroup_nesting_admit() */
    size_t parent, above, below;
};

/*
 * Gives their counters to those that have none and fit: with those above and those
 * below that hold theirs, no chain takes more than the budget. Ancestors come first.
 * Who holds counters keeps them. Puts the array in the order of the paths, and
 * returns what the longest chain takes now.
 */
size_t cgroup_nesting_admit(struct nested_cgroup *cgroups, size_t n, size_t budget);

/*
 * Looks how the cgroups that the rules want nest now: one walk of the tree, which
 * opens a directory a level. What lies deeper than 100 levels, or beyond 20,000
 * directories, is not seen. 0; -ENOMEM; -errno where the root cannot be read.
 */
int cgroup_nesting_read(int root_fd, const struct cgroup_rules *rules, size_t n_rules,
                        struct pmu_chains **ret_chains);
