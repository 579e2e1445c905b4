/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The counters of an entry of the ledger that is no group of processes. */

#include "cycle/ledger.h"
#include "cycle/setup.h"

struct collector;

/* The mechanism that counts the targets of a class. A PMU beyond the cores has no switches. */
static inline struct mechanism *collector_mechanism(const struct collector_setup *setup,
                                                    const struct target_class *class)
{
    return class->pmu ? setup->direct : setup_mechanism(setup, class->kind);
}

/* Whether the entry has, or ought to have, counters of its own. */
bool collector_counts_entry(const struct collector *collector, const struct entry *entry);

/*
 * Gives the entry its counters, which are opened later with all others of the round: those of its
 * class, or, where none of the PMU are left for it, those without. 0 or -ENOMEM.
 */
int collector_make_counters(struct collector *collector, struct entry *entry);
