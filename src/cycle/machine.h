/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The machine as a target: the system scope of the configuration, counted on all its CPUs at once,
 * or, with `by: cpu`, as the sum of its CPUs.
 */

#include "count/cpu_usage.h"
#include "cycle/by_domain.h"
#include "cycle/ledger.h"

struct collector;

struct machine {
    struct entry *entry; /* NULL: the configuration has no system scope */
    bool is_sum;         /* the machine is the sum of its CPUs, which are entries of their own */
    struct cpu_usage cpu_usage;
    struct machine_domains each; /* with `by: cpu` or `by: node` */
};

/* Enters the machine and its CPUs in the ledger, as configured. 0 or -errno. */
int collector_enter_machine(struct collector *collector);

/* Whether the entry has no counters of its own because it is the sum of the CPUs. */
bool machine_is_sum(const struct machine *machine, const struct entry *entry);

/* Begins the machine's sum, for a round of readings. */
void collector_clear_machine(struct collector *collector);

/* Adds what a CPU has counted to the machine's sum; nothing where the entry is no part of it. */
void collector_add_to_machine(struct collector *collector, const struct entry *entry,
                              const struct sample *sample);

/* A CPU has no counters: the sum lacks it and is unknown. Nothing where it is no part of it. */
void collector_miss_in_machine(struct collector *collector, const struct entry *entry);

/*
 * Derives the machine's totals, rates and ratios from the sum of its CPUs, and its CPU time from
 * the kernel's accounting. Returns false if the sum has no account to go to: it is to be admitted.
 */
bool collector_derive_machine(struct collector *collector);
