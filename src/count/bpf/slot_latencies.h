/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the program in the kernel has counted of latencies, slot by slot. Its numbers are small and
 * wrap, and stand in a cell for each CPU. Here they are brought together, into totals that do not
 * wrap. It is pure, as slots.h is, and serves it: which slots contain which is known there.
 */

#include <stdbool.h>
#include <stddef.h>

#include "count/latency.h"
#include "sys/bpf/switch/program.h"

struct slot_latencies;

/* Where the program counts: an array [cpu][slot]. */
struct latency_memory {
    struct switch_program_latency *cells; /* borrowed; NULL: nothing is counted */
    size_t n_cpus, n_slots;               /* the first slots, which have cells */
};

/* It has the totals of SWITCH_PROGRAM_REST from the beginning. NULL if there is no memory. */
struct slot_latencies *slot_latencies_new(const struct latency_memory *memory);
struct slot_latencies *slot_latencies_free(struct slot_latencies *latencies);
DEFINE_AUTO(slot_latencies, struct slot_latencies *, slot_latencies_free)

/*
 * A slot begins to be used, whose cells are 0. Without memory, or where the slot has no cells, it
 * has no totals.
 */
void slot_latencies_begin(struct slot_latencies *latencies, size_t slot);

/*
 * Adds what the slot has counted since the last look to its totals. True: there is something, and
 * *ret_delta is that. Each number of a CPU has grown by less than 2^28 since then.
 */
bool slot_latencies_look(struct slot_latencies *latencies, size_t slot,
                         struct latencies *ret_delta);

/* Adds what another slot has counted, which is nested in this one. */
void slot_latencies_add(struct slot_latencies *latencies, size_t slot,
                        const struct latencies *delta);

/* The slot is not used any more, and nobody charges it. What no look has seen is lost. */
void slot_latencies_end(struct slot_latencies *latencies, size_t slot);

/* What was counted and added since the slot began. Borrowed until it ends; NULL: it has none. */
const struct latencies *slot_latencies_of(const struct slot_latencies *latencies, size_t slot);
