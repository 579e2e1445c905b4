/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Our share of the counters that a CPU's core PMU has (DESIGN: a good neighbour).
 * Pure arithmetic.
 *
 * What can be active at once on a CPU is the sum of: the groups of one process,
 * since one task runs at a time; those of each cgroup in a chain of nested ones,
 * since a task runs in all of them; those of the system. Each event of the core
 * PMU takes one counter, as often as it is listed; all others take none. A class
 * of targets is granted a number of counters, and its first events have them:
 * groups in their order, events in theirs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "count/event_group.h"

/* A budget that is none: everything is granted, and the kernel multiplexes. */
#define PMU_COUNTERS_ALL SIZE_MAX

/* How many counters may be ours of so many that were found free: half, rounded down. */
static inline size_t pmu_budget_half(size_t n_free)
{
    return n_free / 2;
}

/* How cgroups nest: for each chain of nested targets, how many there are of each rule. */
struct pmu_chains {
    size_t n_rules;
    size_t n;
    uint16_t *depths; /* [chain][rule] */
};

/* No chain yet: no target is below another. 0 or -ENOMEM. */
int pmu_chains_new(size_t n_rules, struct pmu_chains **ret_chains);
struct pmu_chains *pmu_chains_free(struct pmu_chains *chains);
DEFINE_AUTO(pmu_chains, struct pmu_chains *, pmu_chains_free)

/*
 * Adds a chain with that many targets of each rule. What another one contains is not
 * kept. There is room for 64; beyond, one that is at least as deep stands for both.
 */
void pmu_chains_add(struct pmu_chains *chains, const uint16_t *depths);

/* What one class of targets asks for. */
struct pmu_claim {
    enum scope_kind kind;
    size_t wanted;  /* counters that one target takes on a CPU if it gets all its events … */
    size_t granted; /* … and may take */
};

/* What can be active at once on a CPU. */
struct pmu_division {
    size_t processes;
    size_t cgroups;
    size_t system;
};

static inline size_t pmu_division_sum(const struct pmu_division *division)
{
    return division->processes + division->cgroups + division->system;
}

/*
 * Gives out the budget: to processes (the largest class counts), then to the deepest
 * chain of cgroups, then to the system. The claims of cgroups stand together, one for
 * each rule in their order, and are served in it. chains: NULL where nothing nests.
 */
void pmu_budget_divide(size_t budget, struct pmu_claim *claims, size_t n_claims,
                       const struct pmu_chains *chains, struct pmu_division *ret_division);

/*
 * How many counters the groups take with these absences, one for each event of all
 * groups; what is over_budget among them is counted as wanted.
 */
size_t event_groups_wanted_counters(const struct event_groups *groups,
                                    const enum absence *absences);

/* A class of targets whose groups are open once on a CPU, for all that have them. */
struct pmu_sharer {
    const struct event_groups *groups;
    enum absence *absences; /* one for each event, and what is given out */
    size_t taken;           /* counters that are the first time given out to it */
};

/*
 * Gives out the budget among them, in their order: what has been given to a group of some events
 * is given to each of the same events, and taken once. Returns the sum of what was taken.
 */
size_t pmu_budget_share(size_t budget, struct pmu_sharer *sharers, size_t n_sharers);

/*
 * The same groups, in which all that takes a counter is over_budget, for a target that
 * gets none: samples of both have the same shape. 0 or -ENOMEM.
 */
int event_groups_without_counters(const struct event_groups *groups,
                                  struct event_groups **ret_groups);

/* The first events that take a counter keep theirs, the others are over_budget. */
void event_groups_grant_counters(const struct event_groups *groups, size_t granted,
                                 enum absence *absences);
