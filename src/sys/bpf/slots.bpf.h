/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Which slots cgroups and processes have. The maps are those of the program at each switch; other
 * programs share them (bpf_prepare_keyed() in sys/bpf/keyed_loading.h).
 */

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

/* The way through `self` leads to the same cgroup, by a pointer that is not trusted any more. */
static __always_inline struct cgroup *cgroup_of(struct task_struct *task)
{
    if (is_v1)
        return task->cgroups->subsys[bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id)]
            ->cgroup;
    return task->cgroups->dfl_cgrp->self.cgroup;
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

/* A slot, and the id of the cgroup that has it; 0: it is the rest. */
struct slot_owner {
    __u64 cgroup;
    __u32 slot;
};

/* The state of a walk from a cgroup up to its ancestors. */
struct ascent {
    struct cgroup *cgroup; /* the one to be looked at next */
    __u64 owner;           /* the id of the cgroup whose slot was found; 0: none */
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
        ascent->owner = id;
        return 1;
    }
    parent = cgroup->self.parent;
    if (!parent)
        return 1;
    ascent->cgroup = parent->cgroup;
    return 0;
}

/* The slot of the cgroup or of its nearest ancestor that has one. */
static __noinline __attribute__((unused)) __u32 nearest_slot(struct cgroup *cgroup)
{
    struct ascent ascent = {.cgroup = cgroup, .slot = SWITCH_SLOT_REST};

    CALL_TIMES(DEEPEST, DEEPEST, ascend, &ascent);
    return ascent.slot;
}

/*
 * The same, with whose slot it is, for who needs it later, when it may have been given to another
 * cgroup: no id is ever given again.
 */
static __noinline __attribute__((unused)) void find_owner(struct cgroup *cgroup,
                                                          struct slot_owner *ret_owner)
{
    struct ascent ascent = {.cgroup = cgroup, .slot = SWITCH_SLOT_REST};

    CALL_TIMES(DEEPEST, DEEPEST, ascend, &ascent);
    *ret_owner = (struct slot_owner){.cgroup = ascent.owner, .slot = ascent.slot};
}

/* The slot that the cgroup of this id has itself; the rest if it has none. 0: none. */
static __always_inline __u32 slot_of_id(__u64 id)
{
    __u32 *slot = id ? bpf_map_lookup_elem(&slots, &id) : NULL;

    return slot ? *slot : SWITCH_SLOT_REST;
}

/* The slot of a process; SWITCH_SLOT_NONE: it is not watched. */
static __always_inline __u32 slot_of_process(__u32 tgid)
{
    struct switch_watched *found = tgid ? bpf_map_lookup_elem(&watched, &tgid) : NULL;

    return found ? found->slot : SWITCH_SLOT_NONE;
}
