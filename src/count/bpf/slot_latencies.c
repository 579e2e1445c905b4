/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/slot_latencies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(LATENCY_DISTRIBUTION_COUNT_ == SWITCH_PROGRAM_DISTRIBUTIONS, "as the program has");
static_assert(LATENCY_TALLY_COUNT_ == SWITCH_PROGRAM_TALLIES, "as the program has");
static_assert(LATENCY_BUCKETS == SWITCH_PROGRAM_BUCKETS, "as the program has");

struct slot_totals {
    bool of_machine;
    struct switch_program_latency last; /* the sum over all CPUs at the last look; it wraps */
    struct latencies total;
};

struct slot_latencies {
    struct latency_cells cells;
    struct latencies machine;
    struct slot_totals *slots[]; /* [slot]; NULL: it has no totals */
};

struct slot_latencies *slot_latencies_new(const struct latency_cells *cells)
{
    AUTO(slot_latencies)
    struct slot_latencies *latencies =
        calloc(1, sizeof(*latencies) + cells->n_slots * sizeof(*latencies->slots));

    if (!latencies)
        return NULL;
    latencies->cells = *cells;
    slot_latencies_begin(latencies, SWITCH_PROGRAM_REST, true);
    if (cells->cells && !latencies->slots[SWITCH_PROGRAM_REST])
        return NULL;
    return TAKE(latencies);
}

struct slot_latencies *slot_latencies_free(struct slot_latencies *latencies)
{
    for (size_t slot = 0; latencies && slot < latencies->cells.n_slots; slot++)
        free(latencies->slots[slot]);
    free(latencies);
    return NULL;
}

static struct switch_program_latency *cell_of(const struct slot_latencies *latencies, size_t slot,
                                              size_t cpu)
{
    return &latencies->cells.cells[cpu * latencies->cells.n_slots + slot];
}

void slot_latencies_begin(struct slot_latencies *latencies, size_t slot, bool of_machine)
{
    struct slot_totals *totals;

    if (!latencies->cells.cells || slot >= latencies->cells.n_slots)
        return;
    totals = calloc(1, sizeof(*totals));
    if (totals)
        totals->of_machine = of_machine;
    latencies->slots[slot] = totals;
}

static uint32_t changes_of(const struct slot_latencies *latencies, size_t slot)
{
    uint32_t changes = 0;

    for (size_t cpu = 0; cpu < latencies->cells.n_cpus; cpu++)
        changes += __atomic_load_n(&cell_of(latencies, slot, cpu)->changes, __ATOMIC_RELAXED);
    return changes;
}

static void add_cell(struct switch_program_latency *sum, const struct switch_program_latency *cell)
{
    for (size_t i = 0; i < SWITCH_PROGRAM_DISTRIBUTIONS; i++)
        sum->sums_ns[i] += __atomic_load_n(&cell->sums_ns[i], __ATOMIC_RELAXED);
    for (size_t i = 0; i < SWITCH_PROGRAM_BUCKETS; i++)
        sum->buckets[i] += __atomic_load_n(&cell->buckets[i], __ATOMIC_RELAXED);
    for (size_t i = 0; i < SWITCH_PROGRAM_TALLIES; i++)
        sum->tallies[i] += __atomic_load_n(&cell->tallies[i], __ATOMIC_RELAXED);
}

/* What was counted between two sums: differences of 32 bits are right across one wrap. */
static struct latencies difference(const struct switch_program_latency *last,
                                   const struct switch_program_latency *now)
{
    struct latencies delta;

    for (size_t i = 0; i < SWITCH_PROGRAM_DISTRIBUTIONS; i++)
        delta.sums_ns[i] = now->sums_ns[i] - last->sums_ns[i];
    for (size_t i = 0; i < SWITCH_PROGRAM_BUCKETS; i++)
        delta.buckets[i] = (uint32_t)(now->buckets[i] - last->buckets[i]);
    for (size_t i = 0; i < SWITCH_PROGRAM_TALLIES; i++)
        delta.tallies[i] = (uint32_t)(now->tallies[i] - last->tallies[i]);
    return delta;
}

/*
 * Most slots have counted nothing since the last look, which their numbers of changes tell. The
 * number is read before what it stands for: what changes in between is seen at the next look.
 */
void slot_latencies_look(struct slot_latencies *latencies, size_t slot)
{
    struct slot_totals *totals = slot < latencies->cells.n_slots ? latencies->slots[slot] : NULL;
    struct switch_program_latency now = {0};
    struct latencies delta;

    if (!totals)
        return;
    now.changes = changes_of(latencies, slot);
    if (now.changes == totals->last.changes)
        return;
    for (size_t cpu = 0; cpu < latencies->cells.n_cpus; cpu++)
        add_cell(&now, cell_of(latencies, slot, cpu));
    delta = difference(&totals->last, &now);
    totals->last = now;
    latencies_add(&totals->total, &delta);
    if (totals->of_machine)
        latencies_add(&latencies->machine, &delta);
}

void slot_latencies_fold(struct slot_latencies *latencies, size_t slot, size_t parent)
{
    struct slot_totals *totals, *above;

    if (slot >= latencies->cells.n_slots || !latencies->cells.cells)
        return;
    slot_latencies_look(latencies, slot);
    totals = TAKE(latencies->slots[slot]);
    above = parent != SWITCH_PROGRAM_REST && parent < latencies->cells.n_slots
                ? latencies->slots[parent]
                : NULL;
    if (totals && above)
        latencies_add(&above->total, &totals->total);
    free(totals);
    for (size_t cpu = 0; cpu < latencies->cells.n_cpus; cpu++)
        *cell_of(latencies, slot, cpu) = (struct switch_program_latency){0};
}

const struct latencies *slot_latencies_of(const struct slot_latencies *latencies, size_t slot)
{
    const struct slot_totals *totals =
        slot < latencies->cells.n_slots ? latencies->slots[slot] : NULL;

    return totals ? &totals->total : NULL;
}

const struct latencies *slot_latencies_of_machine(const struct slot_latencies *latencies)
{
    return &latencies->machine;
}
