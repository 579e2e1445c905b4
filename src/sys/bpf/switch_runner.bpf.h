/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Who runs on a CPU, and whose slots that is charged to. */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/switch_layout.h"

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

static __always_inline struct cgroup *cgroup_of(struct task_struct *task)
{
    if (is_v1)
        return task->cgroups->subsys[bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id)]
            ->cgroup;
    return task->cgroups->dfl_cgrp;
}

/* The slot of the cgroup or of its nearest ancestor that has one. */
static __noinline __u32 nearest_slot(struct cgroup *cgroup)
{
    for (int i = 0; i < DEEPEST && cgroup; i++) {
        __u64 id = cgroup->kn->id;
        __u32 *slot = bpf_map_lookup_elem(&slots, &id);
        struct cgroup_subsys_state *parent;

        if (slot)
            return *slot;
        parent = cgroup->self.parent;
        if (!parent)
            return SWITCH_SLOT_REST;
        cgroup = parent->cgroup;
    }
    return SWITCH_SLOT_REST;
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
static __always_inline bool is_in_place(const struct switch_cpu *state, struct task_struct *task)
{
    return state->runner.cgroup == cgroup_of(task)->kn->id;
}

/* Whether it is of the same process too. */
static __always_inline bool is_same_runner(const struct switch_cpu *state, struct task_struct *task)
{
    return is_in_place(state, task) &&
           (!control.watches || state->runner.tgid == (__u32)task->tgid);
}

/* Where the task is charged; what it has in common with the remembered is not looked up. */
static __always_inline struct switch_runner runner_of(struct switch_cpu *state,
                                                      struct task_struct *task)
{
    struct cgroup *cgroup = cgroup_of(task);
    struct switch_runner runner = state->runner;
    __u64 id = cgroup->kn->id;

    if (runner.cgroup != id) {
        runner.cgroup = id;
        runner.slot = slot_of(state, cgroup, id);
    }
    if (control.watches && runner.tgid != (__u32)task->tgid) {
        runner.tgid = (__u32)task->tgid;
        runner.watched = slot_of_process(runner.tgid);
    }
    return runner;
}

/* The same, all looked up: slots may be others' now. */
static __always_inline struct switch_runner runner_afresh(struct switch_cpu *state,
                                                          struct task_struct *task)
{
    struct cgroup *cgroup = cgroup_of(task);
    struct switch_runner runner = {.cgroup = cgroup->kn->id, .watched = SWITCH_SLOT_NONE};

    runner.slot = slot_of(state, cgroup, runner.cgroup);
    if (control.watches) {
        runner.tgid = (__u32)task->tgid;
        runner.watched = slot_of_process(runner.tgid);
    }
    return runner;
}

static __always_inline bool is_charged_alike(const struct switch_runner *a,
                                             const struct switch_runner *b)
{
    return a->slot == b->slot && a->watched == b->watched;
}
