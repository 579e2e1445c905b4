/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Gaps: times at whose end another target runs than the one that is remembered, without a switch
 * that we have seen. Either somebody else has moved the task to another cgroup, or the kernel has
 * hidden a switch from its tracepoints. What was counted since the last reading is then divided
 * between the earlier target and the later one.
 *
 * No gap is overlooked, and its two turns are known to the nanosecond: the kernel counts the
 * switches of each CPU (rq.nr_switches) and notes when each task arrives (sched_info.last_arrival).
 * What an event counted in which turn is not known. The longer turn is charged in proportion to its
 * time. The rest may belong to either of them; it is charged to nobody, and is noted as doubt.
 */
#include "sys/bpf/switch/charge.bpf.h"

/*
 * How many processes are remembered that were moved. All that a forgotten one has counted since the
 * last reading is charged to its new cgroup.
 */
#define MOST_MOVES 1024

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __type(key, __u32);
    __type(value, __u64);
    __uint(max_entries, MOST_MOVES);
} moves SEC(".maps"); /* tgid -> when somebody else moved the process to another cgroup */

/* Whether this kernel has the notes on a CPU that we need, reachable from a task. */
static __always_inline bool knows_queues(void)
{
    return bpf_core_field_exists(struct sched_entity, cfs_rq) &&
           bpf_core_field_exists(struct cfs_rq, rq) &&
           bpf_core_field_exists(struct rq, nr_switches) &&
           bpf_core_field_exists(struct rq, clock) &&
           bpf_core_field_exists(struct task_struct, sched_info);
}

/* The place of the task that runs, with the run queue of its CPU. */
static __always_inline struct place place_of_runner(struct task_struct *task)
{
    return place_of(task, knows_queues() ? task->se.cfs_rq->rq : NULL);
}

/* Notes that the events of the CPU have just been read. */
static __always_inline void note_reading(struct switch_cpu *state, const struct place *place)
{
    if (knows_queues())
        state->since = place->queue->clock;
}

/* Notes who has come to the CPU. */
static __always_inline void note_arrival(struct switch_cpu *state, const struct task_struct *task)
{
    if (!knows_queues())
        state->thread = (__u32)task->pid + 1;
    state->process = (__u32)task->tgid;
}

/*
 * Whether the departure of the task is likely to be hidden: that of its process was the last one to
 * be hidden. The events are then read at its arrival, so that less has to be divided after its
 * turn.
 */
static __always_inline bool leaves_hidden(const struct switch_cpu *state,
                                          const struct task_struct *task)
{
    return state->n_hidden && state->hidden_process == (__u32)task->tgid;
}

/*
 * How many switches were hidden since the last look at this CPU. Where rq cannot be read, 1 stands
 * for one or more. at_switch: a switch that we see is taking place now, and is in nr_switches
 * already.
 */
static __always_inline __u64 hidden_before(const struct switch_cpu *state,
                                           const struct place *place, bool at_switch)
{
    if (!knows_queues())
        return state->thread != 0 && state->thread != (__u32)place->task->pid + 1;
    return state->switches ? place->queue->nr_switches - at_switch - state->switches : 0;
}

/* Shares are fractions with this denominator. */
#define SHARE_WHOLE (1u << 20)

enum parting {
    PARTED_BY_LATER = 1,    /* division.ns is the later turn; else it is the earlier one */
    SHORTER_IS_NOBODYS = 2, /* what the shorter turn may have counted is charged to nobody */
    EARLIER_IS_NOBODYS = 4, /* another one ran between the two, or the end of the earlier turn is
                               not known: what is not the later one's is charged to nobody */
};

/* How a gap is divided. */
struct division {
    __u64 ns;            /* the length of one of the turns, see PARTED_BY_LATER */
    __u64 share;         /* the later turn's share of the group of events at hand */
    __u64 doubt_ns;      /* time in doubt: the most of all groups */
    __u32 parting;       /* of enum parting */
    __u32 slot, watched; /* of the later one */
    /* Where the doubt is charged: a slot of nobody's, or that of both if they have the same. */
    __u32 nobodys_slot, nobodys_watched;
};

/*
 * Finds the share of the later turn by the times of a group. The first event of a group has the
 * times and comes before the others, which are divided by the same share.
 */
static __always_inline void divide_time(struct division *division,
                                        const struct switch_reading *last,
                                        const struct switch_reading *now)
{
    __u64 passed = now->enabled - last->enabled;
    __u64 part = division->ns < passed ? division->ns : passed, rest = passed - part;
    __u64 later = division->parting & PARTED_BY_LATER ? part : rest, doubt = 0;

    if (division->parting & EARLIER_IS_NOBODYS)
        doubt = passed - later;
    else if (division->parting & SHORTER_IS_NOBODYS)
        doubt = part < rest ? part : rest;
    if (doubt > division->doubt_ns)
        division->doubt_ns = doubt;
    division->share = passed ? later * SHARE_WHOLE / passed : 0;
}

/* The later turn's part of what was counted between two readings. */
static __always_inline __u64 later_part(__u64 last, __u64 now, __u64 share)
{
    return (now - last) * share / SHARE_WHOLE;
}

static __noinline void add_to_slot(__u32 cpu, __u32 slot, __u32 event,
                                   const struct switch_reading *now,
                                   const struct switch_reading *last)
{
    __u64 *cell = slot == SWITCH_SLOT_NONE ? NULL : cell_of(cpu, slot);

    if (cell)
        add(event, now, last, cell);
}

/*
 * Finds the readings at which the part of the earlier one ends and that of the later one begins;
 * what is between them is charged to nobody. Switches belong to the earlier one, who left by them.
 * Events that count time are divided exactly, and leave no doubt.
 */
static __always_inline void find_parts(__u32 event, const struct division *division,
                                       const struct switch_reading *last,
                                       const struct switch_reading *now, struct switch_reading *end,
                                       struct switch_reading *begin)
{
    const bool counts_switches = control.events[event].counts_switches;
    const __u64 share = counts_switches ? 0 : division->share;

    begin->enabled = now->enabled - later_part(last->enabled, now->enabled, share);
    begin->running = now->running - later_part(last->running, now->running, share);
    begin->value = now->value - later_part(last->value, now->value, share);
    *end = division->parting & EARLIER_IS_NOBODYS ? *last : *begin;
    if (!(division->parting & SHORTER_IS_NOBODYS) || counts_switches ||
        control.events[event].is_clock)
        return;
    if (share >= SHARE_WHOLE / 2)
        end->value = last->value;
    else
        begin->value = now->value;
}

/* It is not static, so that the verifier checks it once. The return value has no meaning. */
__noinline int divide_event(__u32 cpu, __u32 event, struct division *division)
{
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    struct switch_reading now, last, end, begin;

    if (!state || !division)
        return 0;
    event = bounded(event);
    if (read_event(cpu, event, &now) < 0)
        return 0;
    last = state->last[event];
    if (control.events[event].times != SWITCH_NO_TIMES)
        divide_time(division, &last, &now);
    find_parts(event, division, &last, &now, &end, &begin);
    add_to_slot(cpu, state->runner.slot, event, &end, &last);
    add_to_slot(cpu, division->nobodys_slot, event, &begin, &end);
    add_to_slot(cpu, division->slot, event, &now, &begin);
    if (control.watches) {
        add_to_slot(cpu, state->runner.watched, event, &end, &last);
        add_to_slot(cpu, division->nobodys_watched, event, &begin, &end);
        add_to_slot(cpu, division->watched, event, &now, &begin);
    }
    state->last[event] = now;
    return 0;
}

/* Notes time in which it is in doubt whether the slot ran or another one. */
static __noinline void note_doubt(__u32 cpu, __u32 slot, __u64 ns)
{
    __u64 *cell = slot == SWITCH_SLOT_NONE ? NULL : cell_of(cpu, slot);

    if (cell)
        cell[n_lanes] += ns;
}

/* How long ago the task was moved to where it is now; 0: it is being moved at this moment. */
static __always_inline __u64 since_its_move(const struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;
    __u64 *moved_ns = bpf_map_lookup_elem(&moves, &tgid);

    return moved_ns ? bpf_ktime_get_ns() - *moved_ns : 0;
}

/* Finds the turns of a gap. The kernel does not note when the idle task arrives (0). */
static __always_inline void find_turns(const struct switch_cpu *state,
                                       const struct task_struct *task, __u64 n_hidden,
                                       struct division *division)
{
    if (n_hidden == 0) {
        division->parting = PARTED_BY_LATER;
        division->ns = since_its_move(task);
    } else if (!knows_queues()) {
        division->parting = PARTED_BY_LATER | SHORTER_IS_NOBODYS;
        division->ns = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
    } else {
        __u64 arrival = task->sched_info.last_arrival;

        division->parting = n_hidden == 1 && arrival != 0 ? SHORTER_IS_NOBODYS : EARLIER_IS_NOBODYS;
        division->ns = arrival == 0 ? ~0ULL : arrival > state->since ? arrival - state->since : 0;
    }
}

static __noinline void divide(struct switch_cpu *state, __u32 cpu, struct task_struct *task,
                              const struct switch_runner *runner, __u64 n_hidden)
{
    struct division division = {.slot = runner->slot, .watched = runner->watched};
    const struct switch_runner earlier = state->runner;
    bool same, same_watched;

    find_turns(state, task, n_hidden, &division);
    same = earlier.slot == runner->slot && !(division.parting & EARLIER_IS_NOBODYS);
    same_watched = earlier.watched == runner->watched && !(division.parting & EARLIER_IS_NOBODYS);
    division.nobodys_slot = same ? runner->slot : SWITCH_SLOT_NO_CGROUPS;
    division.nobodys_watched = same_watched ? runner->watched : SWITCH_SLOT_NO_PROCESSES;
    for (__u32 event = 0; event < SWITCH_EVENTS_MAX && is_event(event); event++)
        divide_event(cpu, event, &division);
    if (division.doubt_ns == 0)
        return;
    state->unattributed_ns += division.doubt_ns;
    if (!same) {
        note_doubt(cpu, earlier.slot, division.doubt_ns);
        note_doubt(cpu, runner->slot, division.doubt_ns);
    }
    if (control.watches && !same_watched) {
        note_doubt(cpu, earlier.watched, division.doubt_ns);
        note_doubt(cpu, runner->watched, division.doubt_ns);
    }
}

/*
 * Compensates for a gap: the task that runs was moved to another cgroup than the one that is
 * remembered, or the switch to it was hidden.
 */
static __noinline void compensate(struct switch_cpu *state, __u32 cpu, const struct place *place,
                                  __u64 n_hidden)
{
    struct switch_runner runner = runner_of(state, place);

    state->n_hidden += n_hidden;
    if (n_hidden)
        state->hidden_process = state->process;
    if (!is_charged_alike(&runner, &state->runner) || n_hidden > 1) {
        divide(state, cpu, place->task, &runner, n_hidden);
        note_reading(state, place);
    }
    state->runner = runner;
}

/* Makes the state true for the task that runs, whatever we have missed. at_switch: as above. */
static __always_inline void catch_up(struct switch_cpu *state, __u32 cpu, const struct place *place,
                                     bool at_switch)
{
    __u64 n_hidden = hidden_before(state, place, at_switch);

    if (knows_queues())
        state->switches = place->queue->nr_switches;
    if (n_hidden || !is_in_place(state, place))
        compensate(state, cpu, place, n_hidden);
}
