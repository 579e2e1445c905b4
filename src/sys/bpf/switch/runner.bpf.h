/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Who runs on a CPU, and whose slots that is charged to. */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/switch/layout.h"

/* Ancestors that are looked at; what is nested deeper below a target is charged to the rest. */
#define DEEPEST 128

/* Set before loading. */
const volatile bool is_v1 = false; /* perf_event has a hierarchy of its own */

struct switch_control control;

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u64);
    __type(value, __u32);
    __uint(max_entries, 1);
} slots SEC(".maps"); /* of targets, by the id of the cgroup */

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u32);
    __type(value, struct switch_watched);
    __uint(max_entries, 1);
} watched SEC(".maps"); /* processes, by tgid */

/*
 * A task and where it is. At each look from one of the kernel's structures to the next the verifier
 * (since Linux 6.4) walks through the names of all the kernel's types, half a millisecond each
 * time, unless it has ceased to trust the pointer. So a task is looked at once, before there are
 * several ways to go.
 */
struct place {
    struct task_struct *task;
    struct rq *queue; /* its CPU's; NULL: not wanted, or not to be had */
    struct cgroup *cgroup;
    __u64 id; /* of the cgroup */
};

/* A cgroup's own part leads back to it: a pointer from there is not trusted any more. */
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
 * Calls it with 0, 1, … until it returns something else than 0. The verifier walks through a
 * function for bpf_loop() once or twice, and through a loop as often as that may turn: before Linux
 * 5.17 loading takes its time.
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

/* On the way up from a cgroup. */
struct ascent {
    struct cgroup *cgroup; /* that is looked at next */
    __u32 slot;            /* that was found */
};

/* Not 0: that is as far as it goes. */
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

/* Whether the task is in the cgroup that is remembered. */
static __always_inline bool is_in_place(const struct switch_cpu *state, const struct place *place)
{
    return state->runner.cgroup == place->id;
}

/* Whether it is of the same process too. */
static __always_inline bool is_same_runner(const struct switch_cpu *state,
                                           const struct place *place)
{
    return is_in_place(state, place) &&
           (!control.watches || state->runner.tgid == (__u32)place->task->tgid);
}

/* Where the task is charged; what it has in common with the remembered is not looked up. */
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
        runner.watched = slot_of_process(tgid);
    }
    return runner;
}

/* The same, all looked up: slots may be others' now. */
static __always_inline struct switch_runner runner_afresh(struct switch_cpu *state,
                                                          const struct place *place)
{
    struct switch_runner runner = {.cgroup = place->id, .watched = SWITCH_SLOT_NONE};

    runner.slot = slot_of(state, place->cgroup, place->id);
    if (control.watches) {
        runner.tgid = (__u32)place->task->tgid;
        runner.watched = slot_of_process(runner.tgid);
    }
    return runner;
}

static __always_inline bool is_charged_alike(const struct switch_runner *a,
                                             const struct switch_runner *b)
{
    return a->slot == b->slot && a->watched == b->watched;
}
