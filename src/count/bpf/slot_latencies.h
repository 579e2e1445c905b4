/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the program in the kernel has counted of latencies, slot by slot. Its numbers are small and
 * wrap, and stand in a cell for each CPU. Here they are brought together, into totals that do not
 * wrap: of each slot, and of the machine, which is all cgroups and the rest. It is pure, as slots.h
 * is, and serves it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "count/latency.h"
#include "sys/bpf/switch/program.h"

struct slot_latencies;

/* Where the program counts: an array [cpu][slot]. */
struct latency_cells {
    struct switch_program_latency *cells; /* borrowed; NULL: nothing is counted */
    size_t n_cpus, n_slots;               /* the first slots, which have cells */
};

/* It has the totals of SWITCH_PROGRAM_REST from the beginning. NULL if there is no memory. */
struct slot_latencies *slot_latencies_new(const struct latency_cells *cells);
struct slot_latencies *slot_latencies_free(struct slot_latencies *latencies);
DEFINE_AUTO(slot_latencies, struct slot_latencies *, slot_latencies_free)

/*
 * A slot begins to be used, whose cells are 0. of_machine: what it counts is also the machine's, as
 * is so for cgroups and not for processes. Without memory, or where the slot has no cells, it has
 * no totals.
 */
void slot_latencies_begin(struct slot_latencies *latencies, size_t slot, bool of_machine);

/* Brings the totals of the slot, and with them those of the machine, to the present. */
void slot_latencies_look(struct slot_latencies *latencies, size_t slot);

/*
 * The slot is not used any more, and nobody charges it: what it has counted is added to another
 * slot, its parent, for good. SWITCH_PROGRAM_REST: it has none.
 */
void slot_latencies_fold(struct slot_latencies *latencies, size_t slot, size_t parent);

/* What the slot has counted since it began, and what was folded into it. NULL: it has no totals. */
const struct latencies *slot_latencies_of(const struct slot_latencies *latencies, size_t slot);

/* What the machine has counted. */
const struct latencies *slot_latencies_of_machine(const struct slot_latencies *latencies);
