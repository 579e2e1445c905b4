/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The account of one target: what it has counted since its birth here, and the rates
 * and ratios of its last interval. It is one row of numbers, in the order of its plan's
 * columns. A total is the sum of deltas and never falls.
 */

#include "count/breakdown.h"
#include "count/cpu_usage.h"
#include "metric/plan.h"
#include "target/identity.h"

struct account {
    struct plan *plan;         /* a reference */
    struct identity *identity; /* a reference */
    struct breakdowns by_key;  /* totals of what the plan shows by key; who takes references of
                                  these may keep them, since what is shared is not changed */
    union number row[];        /* plan->n_numbers of them */
};

/*
 * An account in which nothing is counted yet: all numbers are absent but the start time, which is
 * when counting began (0 if that is not known). NULL if there is no memory.
 */
struct account *account_new(struct plan *plan, struct identity *identity,
                            uint64_t start_realtime_ns);
struct account *account_free(struct account *account);
DEFINE_AUTO(account, struct account *, account_free)

/*
 * Adds the deltas of an interval to the totals, latencies as well, and sets rates, ratios and
 * coverage from them.
 */
void account_update(struct account *account, const struct sample *sample);

/* Adds the latencies of an interval to the totals. What the plan does not show is left out. */
void account_add_latencies(struct account *account, const struct latencies *delta);

/* Adds what was counted by key in an interval to the totals. Without memory some of it is lost. */
void account_add_breakdowns(struct account *account, const struct breakdowns *delta);

/*
 * Adds stacks that were sampled of the target at this rate since the last call, and compares the
 * CPU time that all of them stand for with its clock's total; call it after account_update().
 * goes_on: the target was sampled ever since the last call; else both are compared from here on.
 */
void account_add_profile(struct account *account, uint64_t n_samples, unsigned rate_hz,
                         bool goes_on);

/* Sets when the target itself was made. 0 says that it is not known; then nothing changes. */
void account_set_created(struct account *account, uint64_t created_realtime_ns);

/*
 * Sets how many processes a group has now and when the oldest of them started. start_realtime_ns is
 * 0 if the group has no process; then it has no start time.
 */
void account_set_members(struct account *account, uint64_t n_members, uint64_t start_realtime_ns);

/*
 * Adds the time that CPUs were not idle in an interval, by the kernel's accounting, to the totals,
 * and sets the rate. delta is NULL if the kernel's accounting cannot be read now: then the totals
 * stay and the rate is absent.
 */
void account_set_cpu_usage(struct account *account, const struct cpu_usage_delta *delta,
                           uint64_t n_cpus);

/*
 * Adds time of one CPU or NUMA node of the machine, by the kernel's accounting; nothing without
 * such a column.
 */
void account_add_cpu_time(struct account *account, size_t domain, uint64_t delta_ns);

/* The target has ended: its totals stay, and its rates, ratios and coverage become absent. */
void account_end(struct account *account);

/* Gives the same target other labels, as when its parent came or went. */
void account_rename(struct account *account, struct identity *identity);

/*
 * Takes over the start time and the totals of another account of the same target. A column
 * takes them from a column of the same series and the same event. Columns that the other
 * account lacks stay as they are.
 */
void account_adopt(struct account *account, const struct account *from);
