/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a configuration takes of the PMU's counters, and what it may: DESIGN, a good neighbour. */

#include "count/pmu_budget.h"
#include "resolve/resolution.h"

struct pmu_share {
    bool is_wanted;                    /* some event that can be counted takes a counter */
    bool is_measured;                  /* n_free is known */
    size_t n_free;                     /* on a CPU, when nothing of ours was counted */
    size_t budget;                     /* of those, ours; PMU_COUNTERS_ALL: as many as there are */
    struct pmu_division division;      /* what can be active at once */
    bool is_shared[SCOPE_KIND_COUNT_]; /* targets of the kind share their counters on a CPU */
};

/* Whether the classes, as the kernel lets them count, take counters at all. */
bool resolution_wants_counters(const struct resolution *resolution);

/*
 * Counts for some milliseconds on the first of the CPUs to find how many counters are
 * free; only while nothing of ours is counted. 0; -errno where that cannot be told.
 */
int resolution_find_free(const struct resolution *resolution, const struct perf_ops *ops,
                         const struct cpu_list *cpus, size_t *ret_free);

/* The budget of `limits.pmu_counters` where so many are free. */
size_t resolution_budget(const struct config *config, size_t n_free);

/* Descriptors on a CPU of all that share theirs: a group that several have is open once. */
size_t resolution_shared_events(const struct resolution *resolution, const struct pmu_share *share);

/*
 * How many of those are charged to cgroups or processes, and so are read at each switch between
 * two tasks. What only the system scope counts is not.
 */
size_t resolution_charged_events(const struct resolution *resolution,
                                 const struct pmu_share *share);

/*
 * Gives out share->budget to the classes: what does not fit is over_budget from here
 * on, with new plans. Only while no counter set of the classes exists. chains: how
 * cgroups nest; NULL: they don't, or it makes no difference. 0 or -ENOMEM.
 */
int resolution_divide(struct resolution *resolution, const struct pmu_chains *chains,
                      struct pmu_share *share);
