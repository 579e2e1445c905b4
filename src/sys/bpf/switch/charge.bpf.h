/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What has been counted on a CPU, added to the cells of the slots that are remembered there. */

#include "sys/bpf/switch/runner.bpf.h"

/* Set before loading. */
const volatile __u32 n_slots = 1; /* of each CPU */
const volatile __u32 n_lanes = 3; /* of a cell, those of groups */

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

/* What a charge ends. */
enum turn {
    TURN_GOES_ON,
    TURN_ENDS,     /* by a switch, which the kernel counts right behind the tracepoint */
    TURN_WAS_LAST, /* by the last switch of a task that has ended */
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
 * What an event says now; its times only where they are wanted, since they take the kernel a look
 * at the clock. Not 0: it is not open there.
 */
static __always_inline int read_event(__u32 cpu, __u32 event, struct switch_reading *now)
{
    __u64 index = cpu * SWITCH_EVENTS_MAX + event, value;

    if (control.events[event].times != SWITCH_NO_TIMES)
        return bpf_perf_event_read_value(&events, index, (void *)now, sizeof(*now));
    value = bpf_perf_event_read(&events, index);
    if (value > -4096ULL) /* an errno; a value that is as near to its end is read the next time */
        return -1;
    *now = (struct switch_reading){.value = value};
    return 0;
}

/* Adds what an event has counted from one reading to the other. */
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
 * The same as a function, where more than one is added: among many variables the compiler checks
 * a copy of a bound, which not every verifier sees through.
 */
static __noinline void add_apart(__u32 event, const struct switch_reading *now,
                                 const struct switch_reading *last, __u64 *cell)
{
    add(event, now, last, cell);
}

/*
 * What a loop over the events works on. watched_cell may be NULL. The switch that ends a turn is
 * the cgroup's. It is the process's too unless it is a task's last one: by then the kernel has
 * closed what perf would count it with.
 */
struct charging {
    struct switch_cpu *state;
    __u64 *cell, *watched_cell;
    __u32 cpu;
    __u32 switches, last_switches; /* to be counted yet: of both, and of the cgroup alone */
};

/* Events that are looked at in one call, which costs as much as one of them. */
#define BLOCK 6

/* The compiler would count offsets of its own, of which the verifier knows no bound. */
static __always_inline __u32 bounded(__u32 event)
{
    barrier_var(event);
    return event & (SWITCH_EVENTS_MAX - 1);
}

/* In a block. */
#define FOR_EACH_EVENT(event, block)                                                               \
    for (__u32 event = (block)*BLOCK, n_ = 0; n_ < BLOCK && is_event(event); n_++, event++)

/* By arithmetic: each branch is as many ways more that the verifier walks. */
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
 * What has been counted since the last reading goes to the slots that are remembered. Not static:
 * so the verifier walks it once, not wherever it is called. Returns nothing of interest.
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
