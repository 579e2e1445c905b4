/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Adds what has been counted on a CPU to the slots of those who run there. */

#include "sys/bpf/switch/runner.bpf.h"

/* The loader sets these before loading. */
const volatile __u32 n_slots = 1; /* slots on each CPU */
const volatile __u32 n_lanes = 3; /* lanes of a cell for groups */

struct {
    __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
    __uint(max_entries, SWITCH_EVENTS_MAX);
} events SEC(".maps"); /* [cpu][event] */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct switch_cpu);
    __uint(max_entries, 1);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u64));
    __uint(max_entries, 1);
} cells SEC(".maps"); /* [cpu][slot] */

/* What happens to the turn of the task that is charged. */
enum turn {
    TURN_GOES_ON,
    TURN_ENDS,     /* at a switch, which the kernel counts only after its tracepoint */
    TURN_WAS_LAST, /* at the last switch of a task that has ended */
};

static __always_inline __u64 *cell_of(__u32 cpu, __u32 slot)
{
    __u32 index = cpu * n_slots + slot;

    return bpf_map_lookup_elem(&cells, &index);
}

static __always_inline bool is_event(__u32 event)
{
    return event < SWITCH_EVENTS_MAX && event < control.n_events;
}

/*
 * Reads an event; its times only where they are wanted, since for them the kernel has to read a
 * clock. Not 0: the event is not open on this CPU.
 */
static __always_inline int read_event(__u32 cpu, __u32 event, struct switch_reading *now)
{
    __u64 index = cpu * SWITCH_EVENTS_MAX + event, value;

    if (control.events[event].times != SWITCH_NO_TIMES)
        return bpf_perf_event_read_value(&events, index, (void *)now, sizeof(*now));
    value = bpf_perf_event_read(&events, index);
    if (value > -4096ULL) /* an errno; a true value in this range is taken with the next reading */
        return -1;
    *now = (struct switch_reading){.value = value};
    return 0;
}

/* Adds what an event has counted between two readings to a cell. */
static __always_inline void add(__u32 event, const struct switch_reading *now,
                                const struct switch_reading *last, __u64 *cell)
{
    __u32 value = control.events[event].value, times = control.events[event].times;

    if (value < n_lanes)
        cell[value] += now->value - last->value;
    if (times < n_lanes - 1) {
        cell[times] += now->enabled - last->enabled;
        cell[times + 1] += now->running - last->running;
    }
}

/*
 * The same, not inlined, for when two cells are added to. Among so many variables the compiler
 * checks the bound of a copy of the index, and not every verifier understands that the index is
 * bounded too.
 */
static __noinline void add_apart(__u32 event, const struct switch_reading *now,
                                 const struct switch_reading *last, __u64 *cell)
{
    add(event, now, last, cell);
}

/*
 * What a loop over the events works on. The switch that ends a turn belongs to the cgroup. It
 * belongs to the process as well, unless it is the last switch of a task: by then the kernel has
 * closed the events with which perf would count it, and we count what perf counts.
 */
struct charging {
    struct switch_cpu *state;
    __u64 *cell;         /* of the cgroup */
    __u64 *watched_cell; /* of the process; NULL: it is not watched */
    __u32 cpu;
    __u32 switches;      /* switches that the kernel has not counted yet, of both */
    __u32 last_switches; /* the same, of the cgroup alone */
};

/* How many events one call of charge_block() looks at: a call costs as much as an event. */
#define BLOCK 6

/*
 * Bounds the index where the verifier can see it. Without the barrier the compiler keeps an offset
 * of its own, of which the verifier knows no bound.
 */
static __always_inline __u32 bounded(__u32 event)
{
    barrier_var(event);
    return event & (SWITCH_EVENTS_MAX - 1);
}

/* Walks over the events of a block. */
#define FOR_EACH_EVENT(event, block)                                                               \
    for (__u32 event = (block)*BLOCK, n_ = 0; n_ < BLOCK && is_event(event); n_++, event++)

/* Uses arithmetic in place of branches: each branch adds ways that the verifier has to walk. */
static __always_inline void charge_event(__u32 event, const struct charging *charging)
{
    struct switch_reading *last = &charging->state->last[event], now;
    const __u32 counts_switches = control.events[event].counts_switches;

    if (read_event(charging->cpu, event, &now) < 0)
        return; /* it is not open there */
    now.value += counts_switches & charging->switches;
    if (charging->watched_cell)
        add_apart(event, &now, last, charging->watched_cell);
    now.value += counts_switches & charging->last_switches;
    if (charging->watched_cell)
        add_apart(event, &now, last, charging->cell);
    else
        add(event, &now, last, charging->cell);
    *last = now;
}

static long charge_block(__u32 block, struct charging *charging)
{
    FOR_EACH_EVENT(event, block)
    charge_event(bounded(event), charging);
    return block >= SWITCH_EVENTS_MAX / BLOCK;
}

/*
 * Charges what has been counted since the last reading to the slots of state->runner. It is not
 * static, so that the verifier checks it once and not at each call (a global function, since Linux
 * 5.6). The return value has no meaning.
 */
__noinline int charge(__u32 cpu, __u32 turn)
{
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    struct charging charging = {.state = state,
                                .cpu = cpu,
                                .switches = turn == TURN_ENDS,
                                .last_switches = turn == TURN_WAS_LAST};

    if (!state)
        return 0;
    charging.cell = cell_of(cpu, state->runner.slot);
    if (!charging.cell)
        return 0;
    if (control.watches && state->runner.watched != SWITCH_SLOT_NONE)
        charging.watched_cell = cell_of(cpu, state->runner.watched);
    CALL_TIMES(SWITCH_EVENTS_MAX / BLOCK + 1, (control.n_events + BLOCK - 1) / BLOCK, charge_block,
               &charging);
    return 0;
}
