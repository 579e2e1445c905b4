/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/slot_latencies.h"

#include <assert.h>
#include <stdlib.h>

static_assert(LATENCY_DISTRIBUTION_COUNT_ == SWITCH_PROGRAM_DISTRIBUTIONS, "as the program has");
static_assert(LATENCY_TALLY_COUNT_ == SWITCH_PROGRAM_TALLIES, "as the program has");
static_assert(LATENCY_BUCKETS == SWITCH_PROGRAM_BUCKETS, "as the program has");

/*
 * So many CPUs are added up before the difference to the last look is taken. A difference of 32
 * bits is right across one wrap: in a minute, the longest interval, each of the CPUs may add four
 * million to a number each second, more than any CPU can switch. Adding up all CPUs at once would
 * be too much for large machines, and to remember each CPU would double the memory.
 */
#define CPUS_AT_ONCE 16

/* So many buckets are compared before any of them is looked at: that takes few instructions. */
#define BUCKETS_AT_ONCE 12

static_assert(SWITCH_PROGRAM_BUCKETS % BUCKETS_AT_ONCE == 0, "none is left over");

struct slot_totals {
    struct latencies total;
    struct switch_program_latency last[]; /* sums over CPUS_AT_ONCE at the last look; they wrap */
};

struct slot_latencies {
    struct latency_memory memory;
    uint32_t *changes;           /* [slot]: how often anything had changed at the last look */
    struct slot_totals *slots[]; /* [slot]; NULL: it has no totals */
};

struct slot_latencies *slot_latencies_new(const struct latency_memory *memory)
{
    AUTO(slot_latencies)
    struct slot_latencies *latencies =
        calloc(1, sizeof(*latencies) + memory->n_slots * sizeof(*latencies->slots));

    if (!latencies)
        return NULL;
    latencies->memory = *memory;
    latencies->changes = calloc(memory->n_slots + 1, sizeof(*latencies->changes));
    if (!latencies->changes)
        return NULL;
    slot_latencies_begin(latencies, SWITCH_PROGRAM_REST);
    if (memory->cells && !latencies->slots[SWITCH_PROGRAM_REST])
        return NULL;
    return TAKE(latencies);
}

struct slot_latencies *slot_latencies_free(struct slot_latencies *latencies)
{
    if (!latencies)
        return NULL;
    for (size_t slot = 0; slot < latencies->memory.n_slots; slot++)
        free(latencies->slots[slot]);
    free(latencies->changes);
    free(latencies);
    return NULL;
}

static struct switch_program_latency *cell_of(const struct slot_latencies *latencies, size_t slot,
                                              size_t cpu)
{
    return &latencies->memory.cells[cpu * latencies->memory.n_slots + slot];
}

static struct slot_totals *totals_of(const struct slot_latencies *latencies, size_t slot)
{
    return slot < latencies->memory.n_slots ? latencies->slots[slot] : NULL;
}

void slot_latencies_begin(struct slot_latencies *latencies, size_t slot)
{
    const size_t n_parts = (latencies->memory.n_cpus + CPUS_AT_ONCE - 1) / CPUS_AT_ONCE;

    if (!latencies->memory.cells || slot >= latencies->memory.n_slots)
        return;
    latencies->changes[slot] = 0;
    latencies->slots[slot] =
        calloc(1, sizeof(struct slot_totals) + n_parts * sizeof(struct switch_program_latency));
}

static uint32_t changes_of(const struct slot_latencies *latencies, size_t slot)
{
    uint32_t changes = 0;

    for (size_t cpu = 0; cpu < latencies->memory.n_cpus; cpu++)
        changes += __atomic_load_n(&cell_of(latencies, slot, cpu)->changes, __ATOMIC_RELAXED);
    return changes;
}

/*
 * The program may write the cell meanwhile. It is read by plain loads, many numbers at once: a
 * number that is aligned is read whole.
 */
static void add_cell(struct switch_program_latency *restrict sum,
                     const struct switch_program_latency *restrict cell)
{
    for (size_t i = 0; i < SWITCH_PROGRAM_DISTRIBUTIONS; i++)
        sum->sums_ns[i] += cell->sums_ns[i];
    for (size_t i = 0; i < SWITCH_PROGRAM_BUCKETS; i++)
        sum->buckets[i] += cell->buckets[i];
    for (size_t i = 0; i < SWITCH_PROGRAM_TALLIES; i++)
        sum->tallies[i] += cell->tallies[i];
}

/*
 * Adds to n numbers, and to their totals, what was counted since the last look, which is `now` from
 * here on. Most numbers are as they were.
 */
static inline void advance_some(uint64_t *restrict delta, uint64_t *restrict total,
                                uint32_t *restrict last, const uint32_t *restrict now, size_t n)
{
    uint32_t changed = 0;

    for (size_t i = 0; i < n; i++)
        changed |= now[i] ^ last[i];
    for (size_t i = 0; i < n && changed; i++) {
        const uint32_t more = now[i] - last[i];

        delta[i] += more;
        total[i] += more;
        last[i] = now[i];
    }
}

static void advance(struct latencies *restrict delta, struct latencies *restrict total,
                    struct switch_program_latency *restrict last,
                    const struct switch_program_latency *restrict now)
{
    for (size_t i = 0; i < SWITCH_PROGRAM_DISTRIBUTIONS; i++) {
        const uint64_t more = now->sums_ns[i] - last->sums_ns[i];

        delta->sums_ns[i] += more;
        total->sums_ns[i] += more;
        last->sums_ns[i] = now->sums_ns[i];
    }
    for (size_t i = 0; i < SWITCH_PROGRAM_BUCKETS; i += BUCKETS_AT_ONCE)
        advance_some(delta->buckets + i, total->buckets + i, last->buckets + i, now->buckets + i,
                     BUCKETS_AT_ONCE);
    advance_some(delta->tallies, total->tallies, last->tallies, now->tallies,
                 SWITCH_PROGRAM_TALLIES);
}

/*
 * Most slots have counted nothing since the last look, which their numbers of changes tell. The
 * number is read before what it stands for: what changes in between is seen at the next look.
 */
bool slot_latencies_look(struct slot_latencies *latencies, size_t slot, struct latencies *ret_delta)
{
    struct slot_totals *totals = totals_of(latencies, slot);
    const size_t n_cpus = latencies->memory.n_cpus;
    uint32_t changes;

    if (!totals)
        return false;
    changes = changes_of(latencies, slot);
    if (changes == latencies->changes[slot])
        return false;
    latencies->changes[slot] = changes;
    *ret_delta = (struct latencies){0};
    for (size_t first = 0; first < n_cpus; first += CPUS_AT_ONCE) {
        struct switch_program_latency now = *cell_of(latencies, slot, first);

        for (size_t cpu = first + 1; cpu < first + CPUS_AT_ONCE && cpu < n_cpus; cpu++)
            add_cell(&now, cell_of(latencies, slot, cpu));
        advance(ret_delta, &totals->total, &totals->last[first / CPUS_AT_ONCE], &now);
    }
    return true;
}

void slot_latencies_add(struct slot_latencies *latencies, size_t slot,
                        const struct latencies *delta)
{
    struct slot_totals *totals = totals_of(latencies, slot);

    if (totals)
        latencies_add(&totals->total, delta);
}

void slot_latencies_end(struct slot_latencies *latencies, size_t slot)
{
    if (slot >= latencies->memory.n_slots || !latencies->memory.cells)
        return;
    free(TAKE(latencies->slots[slot]));
    for (size_t cpu = 0; cpu < latencies->memory.n_cpus; cpu++)
        *cell_of(latencies, slot, cpu) = (struct switch_program_latency){0};
}

const struct latencies *slot_latencies_of(const struct slot_latencies *latencies, size_t slot)
{
    const struct slot_totals *totals = totals_of(latencies, slot);

    return totals ? &totals->total : NULL;
}
