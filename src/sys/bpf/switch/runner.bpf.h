/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Who runs on a CPU, and to which slots that is charged. */

#include "sys/bpf/slots.bpf.h"

struct switch_control control;

/*
 * A task and where it is. All that is read of a task is read at once, before the program branches,
 * because reading is dear for the verifier: since Linux 6.4 it searches the names of all types of
 * the kernel, half a millisecond, each time that a trusted pointer leads from one structure to
 * another, and it does so again on each way through the program.
 */
struct place {
    struct task_struct *task;
    struct rq *queue; /* the run queue of its CPU; NULL: not wanted, or it cannot be read */
    struct cgroup *cgroup;
    __u64 id; /* of the cgroup */
};

static __always_inline struct place place_of(struct task_struct *task, struct rq *queue)
{
    struct place place = {.task = task, .queue = queue, .cgroup = cgroup_of(task)};

    place.id = place.cgroup->kn->id;
    return place;
}

/* The slot that a cgroup is charged to, from the cache of the CPU if it is there. */
static __always_inline __u32 slot_of(struct switch_cpu *state, struct cgroup *cgroup, __u64 id)
{
    __u32 generation = *(volatile __u32 *)&control.generation;
    struct switch_known *known =
        &state->known[(__u32)id * SWITCH_KNOWN_FACTOR >> (32 - SWITCH_KNOWN_BITS)];

    if (known->cgroup != id || known->generation != generation)
        *known = (struct switch_known){
            .cgroup = id, .slot = nearest_slot(cgroup), .generation = generation};
    return known->slot;
}

/* Whether the task is in the cgroup that is remembered for the CPU. */
static __always_inline bool is_in_place(const struct switch_cpu *state, const struct place *place)
{
    return state->runner.cgroup == place->id;
}

/* Whether it is also of the same process, as far as processes matter. */
static __always_inline bool is_same_runner(const struct switch_cpu *state,
                                           const struct place *place)
{
    return is_in_place(state, place) &&
           (!control.watches || state->runner.tgid == (__u32)place->task->tgid);
}

/* To which slots a task is charged. What is the same as remembered is not looked up again. */
static __always_inline struct switch_runner runner_of(struct switch_cpu *state,
                                                      const struct place *place)
{
    struct switch_runner runner = state->runner;
    __u32 tgid = (__u32)place->task->tgid;

    if (runner.cgroup != place->id) {
        runner.cgroup = place->id;
        runner.slot = slot_of(state, place->cgroup, place->id);
    }
    if (control.watches && runner.tgid != tgid) {
        runner.tgid = tgid;
        runner.watched = runner.timed = slot_of_process(tgid);
    }
    return runner;
}

/* The same, but everything is looked up: the slots may have been given to others. */
static __always_inline struct switch_runner runner_afresh(struct switch_cpu *state,
                                                          const struct place *place)
{
    struct switch_runner runner = {
        .cgroup = place->id, .watched = SWITCH_SLOT_NONE, .timed = SWITCH_SLOT_NONE};

    runner.slot = slot_of(state, place->cgroup, place->id);
    if (control.watches) {
        runner.tgid = (__u32)place->task->tgid;
        runner.watched = runner.timed = slot_of_process(runner.tgid);
    }
    return runner;
}

/* Whether both are charged to the same slots, so that a switch between them changes nothing. */
static __always_inline bool is_charged_alike(const struct switch_runner *a,
                                             const struct switch_runner *b)
{
    return a->slot == b->slot && a->watched == b->watched;
}
