/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Who runs on a CPU, and to which slots that is charged. */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/switch/layout.h"

/*
 * How many ancestors of a cgroup are looked at. A cgroup that is nested deeper below its nearest
 * target is charged to the rest.
 */
#define DEEPEST 128

/* The loader sets it before loading: perf_event has a hierarchy of cgroup v1 of its own. */
const volatile bool is_v1 = false;

struct switch_control control;

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u64);
    __type(value, __u32);
    __uint(max_entries, 1);
} slots SEC(".maps"); /* id of a cgroup -> its slot */

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u32);
    __type(value, struct switch_watched);
    __uint(max_entries, 1);
} watched SEC(".maps"); /* tgid -> watched process */

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

/* The way through `self` leads to the same cgroup, by a pointer that is not trusted any more. */
static __always_inline struct cgroup *cgroup_of(struct task_struct *task)
{
    if (is_v1)
        return task->cgroups->subsys[bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id)]
            ->cgroup;
    return task->cgroups->dfl_cgrp->self.cgroup;
}

static __always_inline struct place place_of(struct task_struct *task, struct rq *queue)
{
    struct place place = {.task = task, .queue = queue, .cgroup = cgroup_of(task)};

    place.id = place.cgroup->kn->id;
    return place;
}

/*
 * Calls a function with 0, 1, … until it returns something else than 0: at most n times by
 * bpf_loop(), and `most` times where the kernel has no bpf_loop() (before Linux 5.17). The verifier
 * walks through a function of bpf_loop() once or twice, but through a loop as often as it may turn:
 * there loading takes longer.
 */
#define CALL_TIMES(most, n, function, context)                                                     \
    do {                                                                                           \
        if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop))                           \
            (void)bpf_loop(n, function, context, 0);                                               \
        else                                                                                       \
            for (__u32 call_ = 0; call_ < (most); call_++)                                         \
                if (function(call_, context))                                                      \
                    break;                                                                         \
    } while (0)

/* The state of a walk from a cgroup up to its ancestors. */
struct ascent {
    struct cgroup *cgroup; /* the one to be looked at next */
    __u32 slot;            /* what was found; the rest until then */
};

/* One step up. Not 0: the walk ends. */
static long ascend(__u32 unused, struct ascent *ascent)
{
    struct cgroup *cgroup = ascent->cgroup;
    __u64 id = cgroup->kn->id;
    __u32 *slot = bpf_map_lookup_elem(&slots, &id);
    struct cgroup_subsys_state *parent;

    if (slot) {
        ascent->slot = *slot;
        return 1;
    }
    parent = cgroup->self.parent;
    if (!parent)
        return 1;
    ascent->cgroup = parent->cgroup;
    return 0;
}

/* The slot of the cgroup or of its nearest ancestor that has one. */
static __noinline __u32 nearest_slot(struct cgroup *cgroup)
{
    struct ascent ascent = {.cgroup = cgroup, .slot = SWITCH_SLOT_REST};

    CALL_TIMES(DEEPEST, DEEPEST, ascend, &ascent);
    return ascent.slot;
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

static __always_inline __u32 slot_of_process(__u32 tgid)
{
    struct switch_watched *found = tgid ? bpf_map_lookup_elem(&watched, &tgid) : NULL;

    return found ? found->slot : SWITCH_SLOT_NONE;
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
