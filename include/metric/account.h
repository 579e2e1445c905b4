/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a target has counted since its birth here, and the rates and ratios of
 * its last interval: one row of numbers in the order of its plan's columns. A
 * total is the sum of deltas and never falls (DESIGN: numbers, 1 and 2).
 */

#include "count/cpu_usage.h"
#include "metric/plan.h"
#include "target/identity.h"

struct account {
    struct plan *plan;         /* a reference */
    struct identity *identity; /* a reference */
    union number row[];        /* plan->n_columns */
};

/* start_realtime_ns: when counting began; 0: not known. NULL if there is no memory. */
struct account *account_new(struct plan *plan, struct identity *identity,
                            uint64_t start_realtime_ns);
struct account *account_free(struct account *account);
DEFINE_AUTO(account, struct account *, account_free)

/* Adds the deltas of an interval to the totals; sets rates, ratios and coverage from it. */
void account_update(struct account *account, const struct sample *sample);

/* When the target itself began, as far as that is known (0: it is not). */
void account_set_created(struct account *account, uint64_t created_realtime_ns);

/* Who is in it now: how many, and when the oldest of them started (0: there is none). */
void account_set_members(struct account *account, uint64_t n_members, uint64_t start_realtime_ns);

/*
 * Adds what CPUs did in an interval, by the kernel's accounting, to the totals, and sets the rate.
 * delta: NULL: it cannot be read now.
 */
void account_set_cpu_usage(struct account *account, const struct cpu_usage_delta *delta,
                           uint64_t n_cpus);

/* The target has ended: totals stay, rates, ratios and coverage are absent from now on. */
void account_end(struct account *account);

/* Other labels for the same target (its parent came or went). */
void account_rename(struct account *account, struct identity *identity);

/*
 * Takes over the birth and the totals of another account of the same target: each
 * that is of the same series and the same event. What the plan has beside starts
 * at nothing.
 */
void account_adopt(struct account *account, const struct account *from);
