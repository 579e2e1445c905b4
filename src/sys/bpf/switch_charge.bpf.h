/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What has been counted on a CPU, added to the cells of the slots that are remembered there. */

#include "sys/bpf/switch_runner.bpf.h"

/* Set before loading. */
const volatile __u32 n_slots = 1; /* of each CPU */
const volatile __u32 n_lanes = 3; /* of a cell */

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

/* Processes whose move is remembered; of one that is forgotten more is divided by guess. */
#define MOST_MOVES 1024

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __type(key, __u32);
    __type(value, __u64);
    __uint(max_entries, MOST_MOVES);
} moves SEC(".maps"); /* when a process was moved by another, by tgid */

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

/* The first is known to the verifier. */
static __always_inline bool is_event(__u32 event)
{
    return event < n_lanes && event < control.n_events;
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
 * watched_cell may be NULL. The switch that ends a turn is the cgroup's. It is the process's too
 * unless it is a task's last one: by then the kernel has closed what perf would count it with.
 */
static __always_inline void charge_cells(struct switch_cpu *state, __u32 cpu, __u32 turn,
                                         __u64 *cell, __u64 *watched_cell)
{
    for (__u32 i = 0; i < SWITCH_EVENTS_MAX; i++) {
        struct switch_reading *last = &state->last[i], now;
        bool switches;

        if (!is_event(i))
            break;
        if (read_event(cpu, i, &now) < 0)
            continue; /* it is not open there */
        switches = turn != TURN_GOES_ON && control.events[i].counts_switches;
        if (switches && turn == TURN_ENDS)
            now.value++;
        if (watched_cell)
            add_apart(i, &now, last, watched_cell);
        if (switches && turn == TURN_WAS_LAST)
            now.value++;
        if (watched_cell)
            add_apart(i, &now, last, cell);
        else
            add(i, &now, last, cell);
        *last = now;
    }
}

/*
 * What has been counted since the last reading goes to the slots that are remembered. Not static:
 * so the verifier walks it once, not wherever it is called. Returns nothing of interest.
 */
__noinline int charge(__u32 cpu, __u32 turn)
{
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    __u64 *cell, *watched_cell;

    if (!state)
        return 0;
    cell = cell_of(cpu, state->runner.slot);
    if (!cell)
        return 0;
    if (!watches || state->runner.watched == SWITCH_SLOT_NONE) {
        charge_cells(state, cpu, turn, cell, NULL);
        return 0;
    }
    watched_cell = cell_of(cpu, state->runner.watched);
    if (watched_cell)
        charge_cells(state, cpu, turn, cell, watched_cell);
    return 0;
}

/* Shares are parts of this. */
#define SHARE_WHOLE (1u << 20)

/* How long the task has been where it is now, or 0: then it is being moved at this moment. */
static __always_inline __u64 since_its_move(const struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;
    __u64 *moved_ns = bpf_map_lookup_elem(&moves, &tgid);

    return moved_ns ? bpf_ktime_get_ns() - *moved_ns : 0;
}

/*
 * How much of what has been counted since the last reading is the task's where it is now, by time:
 * since it was moved, if we were told that it came; else what it ran in this turn.
 */
static __always_inline __u64 share_of(struct task_struct *task, const struct switch_cpu *state,
                                      __u32 cpu, bool told)
{
    __u64 its = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime, passed;
    struct switch_reading now;

    if (bpf_perf_event_read_value(&events, cpu * SWITCH_EVENTS_MAX, (void *)&now, sizeof(now)) < 0)
        return 0;
    passed = now.enabled - state->last[0].enabled;
    if (told)
        its = since_its_move(task);
    return its < passed ? its * SHARE_WHOLE / passed : SHARE_WHOLE;
}

/*
 * Charges a part of what has been counted since the last reading to other slots than the
 * remembered ones, which get the rest of it when they are charged. Of all that, the doubtful
 * slot keeps the sum. As above.
 */
__noinline int charge_part(__u32 cpu, __u32 slot, __u32 watched_slot, __u64 share)
{
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    __u64 *doubt = cell_of(cpu, SWITCH_SLOT_DOUBTFUL), *cell = cell_of(cpu, slot);
    __u64 *watched_cell = NULL; /* there is none */

    if (!state || !doubt || !cell)
        return 0;
    if (watches && watched_slot != SWITCH_SLOT_NONE)
        watched_cell = cell_of(cpu, watched_slot);
    for (__u32 i = 0; i < SWITCH_EVENTS_MAX; i++) {
        struct switch_reading *last = &state->last[i], now, part;

        if (!is_event(i))
            break;
        if (read_event(cpu, i, &now) < 0)
            continue;
        part = *last;
        add_apart(i, &now, &part, doubt);
        part.value += (now.value - part.value) * share / SHARE_WHOLE;
        part.enabled += (now.enabled - part.enabled) * share / SHARE_WHOLE;
        part.running += (now.running - part.running) * share / SHARE_WHOLE;
        if (watched_cell)
            add_apart(i, &part, last, watched_cell);
        add_apart(i, &part, last, cell);
        *last = part;
    }
    return 0;
}

/*
 * The task that runs is in another cgroup than the remembered one, to which it was moved; or it is
 * another one, and we have not been told of the switch to it.
 */
static __noinline void make_up(struct switch_cpu *state, __u32 cpu, struct task_struct *task,
                               bool told)
{
    struct switch_runner runner = runner_of(state, task);

    if (!is_charged_alike(&runner, &state->runner)) {
        charge_part(cpu, runner.slot, runner.watched, share_of(task, state, cpu, told));
        charge(cpu, TURN_GOES_ON);
    }
    state->runner = runner;
}
