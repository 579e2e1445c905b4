/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What has been counted since the last reading is divided between who ran first and who runs now,
 * where that was not told at the moment: the task was moved to another cgroup by somebody else, or
 * the kernel has kept the switch to it to itself. It numbers its switches and notes when each task
 * arrives: so none is overlooked, and the two turns are known to the nanosecond. What an event
 * counted in which of them is not. The longer one is taken to have counted in proportion; of the
 * shorter one's part, which may be either's, nobody is charged, and it is noted.
 */
#include "sys/bpf/switch/charge.bpf.h"

/* Processes whose move is remembered; of one that is forgotten all is its new cgroup's. */
#define MOST_MOVES 1024

struct {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __type(key, __u32);
    __type(value, __u64);
    __uint(max_entries, MOST_MOVES);
} moves SEC(".maps"); /* when a process was moved by another, by tgid */

/* Whether the kernel's own notes on a CPU can be reached from a task. */
static __always_inline bool knows_queues(void)
{
    return bpf_core_field_exists(struct sched_entity, cfs_rq) &&
           bpf_core_field_exists(struct cfs_rq, rq) &&
           bpf_core_field_exists(struct rq, nr_switches) &&
           bpf_core_field_exists(struct rq, clock) &&
           bpf_core_field_exists(struct task_struct, sched_info);
}

/* Who runs, with the notes on its CPU. */
static __always_inline struct place place_of_runner(struct task_struct *task)
{
    return place_of(task, knows_queues() ? task->se.cfs_rq->rq : NULL);
}

/* The events of the CPU on which it runs have just been read. */
static __always_inline void note_reading(struct switch_cpu *state, const struct place *place)
{
    if (knows_queues())
        state->since = place->queue->clock;
}

static __always_inline void note_arrival(struct switch_cpu *state, const struct task_struct *task)
{
    if (!knows_queues())
        state->thread = (__u32)task->pid + 1;
    state->process = (__u32)task->tgid;
}

/*
 * Whether the task is of the process that was the last to leave without our being told: what it
 * counts is kept apart from all before it, so that the less has to be divided.
 */
static __always_inline bool leaves_untold(const struct switch_cpu *state,
                                          const struct task_struct *task)
{
    return state->untold && state->secretive == (__u32)task->tgid;
}

/*
 * How many switches have not been told of since the last time; 1 where there was one at least and
 * their number cannot be known. telling: one is being told now, with which the task leaves.
 */
static __always_inline __u64 untold_before(const struct switch_cpu *state,
                                           const struct place *place, bool telling)
{
    if (!knows_queues())
        return state->thread != 0 && state->thread != (__u32)place->task->pid + 1;
    return state->switches ? place->queue->nr_switches - telling - state->switches : 0;
}

/* Shares are parts of this. */
#define SHARE_WHOLE (1u << 20)

enum parting {
    PARTED_BY_LATER = 1, /* the time is the later one's, else the earlier one's */
    SHORTER_IS_NOBODYS = 2,
    EARLIER_IS_NOBODYS = 4, /* there was a third between the two, or when it ended is not known */
};

struct division {
    __u64 ns;
    __u64 share; /* of the later, in the group of events that is being divided */
    __u64 doubt_ns;
    __u32 parting;
    __u32 slot, watched;                 /* of the later … */
    __u32 nobodys_slot, nobodys_watched; /* … and of nobody: if both have the same, that one */
};

/* By the times of a group, whose first event comes before the others. */
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
 * Where between the two readings the earlier one's part ends and the later one's begins. The
 * switches were the earlier one's, and time is divided by itself.
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

/* Not static: so the verifier walks it once. Returns nothing of interest. */
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

/* So much of a slot's time was its own or another's. */
static __noinline void note_doubt(__u32 cpu, __u32 slot, __u64 ns)
{
    __u64 *cell = slot == SWITCH_SLOT_NONE ? NULL : cell_of(cpu, slot);

    if (cell)
        cell[n_lanes] += ns;
}

/* How long the task has been where it is now, or 0: then it is being moved at this moment. */
static __always_inline __u64 since_its_move(const struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;
    __u64 *moved_ns = bpf_map_lookup_elem(&moves, &tgid);

    return moved_ns ? bpf_ktime_get_ns() - *moved_ns : 0;
}

/* When who idles has come is not noted. */
static __always_inline void find_turns(const struct switch_cpu *state,
                                       const struct task_struct *task, __u64 untold,
                                       struct division *division)
{
    if (untold == 0) {
        division->parting = PARTED_BY_LATER;
        division->ns = since_its_move(task);
    } else if (!knows_queues()) {
        division->parting = PARTED_BY_LATER | SHORTER_IS_NOBODYS;
        division->ns = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
    } else {
        __u64 arrival = task->sched_info.last_arrival;

        division->parting = untold == 1 && arrival != 0 ? SHORTER_IS_NOBODYS : EARLIER_IS_NOBODYS;
        division->ns = arrival == 0 ? ~0ULL : arrival > state->since ? arrival - state->since : 0;
    }
}

static __noinline void divide(struct switch_cpu *state, __u32 cpu, struct task_struct *task,
                              const struct switch_runner *runner, __u64 untold)
{
    struct division division = {.slot = runner->slot, .watched = runner->watched};
    const struct switch_runner earlier = state->runner;
    bool same, same_watched;

    find_turns(state, task, untold, &division);
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
 * The task that runs is in another cgroup than the remembered one, to which it was moved; or it is
 * another one, and we have not been told of the switch to it.
 */
static __noinline void make_up(struct switch_cpu *state, __u32 cpu, const struct place *place,
                               __u64 untold)
{
    struct switch_runner runner = runner_of(state, place);

    state->untold += untold;
    if (untold)
        state->secretive = state->process;
    if (!is_charged_alike(&runner, &state->runner) || untold > 1) {
        divide(state, cpu, place->task, &runner, untold);
        note_reading(state, place);
    }
    state->runner = runner;
}

/* Whoever runs is remembered where he is. telling: as above. */
static __always_inline void catch_up(struct switch_cpu *state, __u32 cpu, const struct place *place,
                                     bool telling)
{
    __u64 untold = untold_before(state, place, telling);

    if (knows_queues())
        state->switches = place->queue->nr_switches;
    if (untold || !is_in_place(state, place))
        make_up(state, cpu, place, untold);
}
