/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a configuration takes of the PMU's counters, and what it may take: the PMU belongs to
 * whoever is looking for a fault, and the kernel serves our counters of a CPU before those of a
 * task, so that each one that we hold is lost to `perf stat COMMAND`.
 */

#include "count/pmu_budget.h"
#include "resolve/resolution.h"

struct pmu_share {
    bool is_wanted;                    /* some event that can be counted takes a counter */
    bool is_measured;                  /* it could be found out how many counters are free */
    size_t n_free;                     /* counters of a CPU that nobody held when we held none */
    size_t budget;                     /* how many we may hold on a CPU; or PMU_COUNTERS_ALL */
    struct pmu_division division;      /* how many each kind of target can hold at once */
    bool is_shared[SCOPE_KIND_COUNT_]; /* targets of the kind share one set of counters on a CPU */
};

/* Whether the classes, as the kernel lets them count, take counters at all. */
bool resolution_wants_counters(const struct resolution *resolution);

/*
 * Counts for some milliseconds on the first of the CPUs to find how many counters are free; only
 * while nothing of ours is counted. Where there are several kinds of cores it counts on the first
 * CPU of each, and the smallest number holds for all. hybrid: as in struct scope. 0; -errno: it
 * could not be found out.
 */
int resolution_find_free(const struct resolution *resolution, const struct perf_ops *ops,
                         const struct cpu_list *cpus, const struct pmu_list *hybrid,
                         size_t *ret_free);

/* How many counters limits.pmu_counters gives us where so many are free. */
size_t resolution_budget(const struct config *config, size_t n_free);

/*
 * Gives out share->budget to the classes, and writes share->division. Events that do not fit are
 * over_budget from here on. Only while no counter set of the classes exists. chains: how cgroups
 * nest; NULL: they do not, or it makes no difference. 0 or -ENOMEM.
 */
int resolution_divide(struct resolution *resolution, const struct pmu_chains *chains,
                      struct pmu_share *share);

/*
 * How many events are open on a CPU for all targets that share their counters. A group that several
 * classes have is open once.
 */
size_t resolution_shared_events(const struct resolution *resolution, const struct pmu_share *share);

/*
 * How many of the shared events are charged to cgroups or processes, and so are read at each
 * switch between two tasks. What only the system scope counts is not.
 */
size_t resolution_charged_events(const struct resolution *resolution,
                                 const struct pmu_share *share);
