/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Our share of the counters that a CPU's core PMU has. It is pure
 * arithmetic.
 *
 * Groups of several targets can be active on a CPU at the same time: those of one process, since
 * one task runs at a time; those of each cgroup in a chain of nested ones, since a task runs in all
 * of them; and those of the system. Their sum must fit into our share. Each event of the core PMU
 * takes one counter each time that it is listed; other events take none. A class of targets is
 * granted a number of counters. Its first events get them, in the order of its groups and of the
 * events in a group.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "count/event_group.h"

/* The budget without a limit: everything is granted, and the kernel multiplexes. */
#define PMU_COUNTERS_ALL SIZE_MAX

/* How many of the counters that were found free we may take: half of them, rounded down. */
static inline size_t pmu_budget_half(size_t n_free)
{
    return n_free / 2;
}

/* How cgroups nest: for each chain of nested targets, how many of them belong to each rule. */
struct pmu_chains {
    size_t n_rules;
    size_t n;
    uint16_t *depths; /* [chain][rule] */
};

/* Starts with no chain, which means that no target is below another one. 0 or -ENOMEM. */
int pmu_chains_new(size_t n_rules, struct pmu_chains **ret_chains);
struct pmu_chains *pmu_chains_free(struct pmu_chains *chains);
DEFINE_AUTO(pmu_chains, struct pmu_chains *, pmu_chains_free)

/*
 * Adds a chain. depths: how many targets of each rule it has. A chain that is in no rule deeper
 * than another one is not kept. There is room for 64 chains; where that is used up, two become one
 * that is as deep as the deeper of them in each rule.
 */
void pmu_chains_add(struct pmu_chains *chains, const uint16_t *depths);

/* What one class of targets asks for. */
struct pmu_claim {
    enum scope_kind kind;
    size_t wanted;  /* counters that one target takes on a CPU if all its events are counted */
    size_t granted; /* counters that it may take; filled by pmu_budget_divide() */
};

/* How many counters can be active at once on a CPU, by whom. */
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
 * Gives out the budget: first to processes, of which the class with the most counters is what can
 * be active; then to cgroups, of which it is the dearest chain; then to the system. The claims of
 * cgroups stand together, one for each rule, in the order in which they are served. chains: NULL
 * where no target is below another one.
 */
void pmu_budget_divide(size_t budget, struct pmu_claim *claims, size_t n_claims,
                       const struct pmu_chains *chains, struct pmu_division *ret_division);

/*
 * How many counters the groups take if nothing is over budget. absences: one for each event of all
 * groups.
 */
size_t event_groups_wanted_counters(const struct event_groups *groups,
                                    const enum absence *absences);

/* A class of targets that share groups: by bpf a group is open once on a CPU, for all targets. */
struct pmu_sharer {
    const struct event_groups *groups;
    enum absence *absences; /* one for each event; pmu_budget_share() writes over_budget */
    size_t taken;           /* counters that were given to this class and to none before it */
};

/*
 * Gives out the budget in the order of the sharers. A group of the same events as an earlier one
 * gets what that got, for nothing, since both are open once. Returns how many counters are taken.
 */
size_t pmu_budget_share(size_t budget, struct pmu_sharer *sharers, size_t n_sharers);

/*
 * Makes the same groups for targets that get no hardware counters: every event that takes one is
 * over_budget. Samples of both have the same shape. 0 or -ENOMEM.
 */
int event_groups_without_counters(const struct event_groups *groups,
                                  struct event_groups **ret_groups);

/* Lets the first `granted` events that take a counter have one; the others become over_budget. */
void event_groups_grant_counters(const struct event_groups *groups, size_t granted,
                                 enum absence *absences);
