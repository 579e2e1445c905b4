/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Who belongs to the target, and how something is told of. */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/schedule/layout.h"
#include "sys/bpf/schedule/record.h"
#include "sys/bpf/task.bpf.h"

/* How many ancestors of a cgroup are looked at. */
#define DEEPEST 128

/* The loader sets these before loading. */
const volatile __u32 scope = SCHEDULE_OF_MACHINE;
const volatile __u64 wanted_cgroup = 0;
const volatile bool is_v1 = false;       /* perf_event has a hierarchy of cgroup v1 of its own */
const volatile bool tells_state = false; /* sched_switch has the state of the one that goes */

__u32 is_on; /* nothing is told as long as it is 0 */

/* The name of a thread. */
struct task_struct___named {
    char comm[SCHEDULE_NAME_SIZE];
} KERNEL_TYPE;

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 65536);
} ring SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct schedule_cpu);
    __uint(max_entries, 1);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u32);
    __type(value, __u32);
    __uint(max_entries, 16384);
} processes SEC(".maps"); /* those of the target, by their numbers */

static __always_inline struct cgroup *cgroup_of(struct task_struct *task)
{
    if (is_v1)
        return task->cgroups->subsys[bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id)]
            ->cgroup;
    return task->cgroups->dfl_cgrp;
}

/* Whether the cgroup is that of the target, or below it. */
static __noinline bool is_below(struct cgroup *cgroup)
{
    for (__u32 i = 0; i < DEEPEST && cgroup; i++) {
        if (BPF_CORE_READ(cgroup, kn, id) == wanted_cgroup)
            return true;
        cgroup = BPF_CORE_READ(cgroup, self.parent, cgroup);
    }
    return false;
}

static __always_inline bool is_in_cgroup(struct schedule_cpu *state, struct task_struct *task)
{
    struct cgroup *cgroup = cgroup_of(task);
    const __u64 id = cgroup->kn->id;
    struct schedule_known *known = &state->known[id % SCHEDULE_KNOWN];

    if (known->cgroup != id)
        *known = (struct schedule_known){.cgroup = id, .is_ours = is_below(cgroup)};
    return known->is_ours;
}

static __always_inline bool is_ours(struct schedule_cpu *state, struct task_struct *task)
{
    __u32 pid;

    if (scope == SCHEDULE_OF_MACHINE)
        return true;
    if (scope == SCHEDULE_OF_CGROUP)
        return is_in_cgroup(state, task);
    pid = (__u32)task->tgid;
    return bpf_map_lookup_elem(&processes, &pid);
}

static __always_inline void describe(struct task_struct *task, struct schedule_task *to)
{
    to->tid = (__u32)task->pid;
    to->pid = (__u32)task->tgid;
    (void)bpf_probe_read_kernel(to->name, sizeof(to->name),
                                ((struct task_struct___named *)task)->comm);
}

struct happening {
    __u8 kind, flags;
    __u32 state, to;
};

/* A record of now; NULL: the ring has no room for it. */
static __always_inline struct schedule_record *reserve(struct schedule_cpu *state, __u32 cpu,
                                                       struct happening what)
{
    const __u64 now = bpf_ktime_get_ns();
    struct schedule_record *record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);

    if (!record) {
        /* by one instruction, since an interrupt may come in the midst of a request */
        __sync_fetch_and_add(&state->n_lost, 1);
        __sync_fetch_and_add(&state->pending, 1);
        return NULL;
    }
    record->time_ns = now;
    record->lost = 0;
    record->cpu = (__u16)cpu;
    record->kind = what.kind;
    record->flags = what.flags;
    record->state = what.state;
    record->to = what.to;
    return record;
}

/* The same, while interrupts are disabled: it says what is missing before it. */
static __always_inline struct schedule_record *begin_record(struct schedule_cpu *state, __u32 cpu,
                                                            struct happening what)
{
    struct schedule_record *record = reserve(state, cpu, what);

    if (record) {
        record->lost = state->pending;
        state->pending = 0;
    }
    return record;
}

static __always_inline void tell(struct schedule_cpu *state, __u32 cpu, struct task_struct *a,
                                 struct task_struct *b, struct happening what)
{
    struct schedule_record *record = begin_record(state, cpu, what);

    if (!record)
        return;
    describe(a, &record->a);
    describe(b, &record->b);
    bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP); /* the reader looks by itself */
}

static __always_inline bool is_recording(void)
{
    return *(volatile __u32 *)&is_on;
}

/* The state of this CPU; NULL: nothing is to be told. */
static __always_inline struct schedule_cpu *state_here(__u32 *ret_cpu)
{
    *ret_cpu = bpf_get_smp_processor_id();
    return is_recording() ? bpf_map_lookup_elem(&cpus, ret_cpu) : NULL;
}
