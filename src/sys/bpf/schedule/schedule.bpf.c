/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Tells of every switch, wake-up and move of the threads of one target, by a ring that user space
 * reads. What concerns no thread of the target is left out here, so that a busy machine does not
 * fill the ring. Where the ring has no room the record is lost, and is counted: the next record of
 * the same CPU tells how many are missing before it, so that nobody takes a gap for a fact.
 *
 * Processes. The processes of the target are in a table. What they start is entered before its
 * first instruction, and leaves the table with its last thread.
 *
 * It is loaded while somebody records, and not otherwise.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/schedule/layout.h"
#include "sys/bpf/schedule/record.h"

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

static __always_inline __u32 state_of(const struct task_struct *task)
{
    if (bpf_core_field_exists(struct task_struct, __state))
        return task->__state;
    return (__u32)((const struct task_struct___earlier *)task)->state;
}

static __always_inline __u32 cpu_of(const struct task_struct *task)
{
    if (bpf_core_field_exists(struct thread_info, cpu))
        return task->thread_info.cpu;
    return ((const struct task_struct___earlier *)task)->cpu;
}

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

static __always_inline void tell(struct schedule_cpu *state, __u32 cpu, struct task_struct *a,
                                 struct task_struct *b, struct happening what)
{
    const __u64 now = bpf_ktime_get_ns();
    struct schedule_record *record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);

    if (!record) {
        state->n_lost++;
        state->pending++;
        return;
    }
    record->time_ns = now;
    record->lost = state->pending;
    state->pending = 0;
    record->cpu = (__u16)cpu;
    record->kind = what.kind;
    record->flags = what.flags;
    record->state = what.state;
    record->to = what.to;
    describe(a, &record->a);
    describe(b, &record->b);
    bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP); /* the reader looks by itself */
}

/* The state of this CPU; NULL: nothing is to be told. */
static __always_inline struct schedule_cpu *state_here(__u32 *ret_cpu)
{
    *ret_cpu = bpf_get_smp_processor_id();
    return *(volatile __u32 *)&is_on ? bpf_map_lookup_elem(&cpus, ret_cpu) : NULL;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    struct happening what = {.kind = SCHEDULE_SWITCH};
    __u32 cpu;
    struct schedule_cpu *state = state_here(&cpu);

    if (!state)
        return 0;
    what.flags = (is_ours(state, prev) ? SCHEDULE_A_IS_OURS : 0) |
                 (is_ours(state, next) ? SCHEDULE_B_IS_OURS : 0);
    if (!what.flags)
        return 0;
    if (!preempt)
        what.state = tells_state ? (__u32)((volatile __u64 *)ctx)[3] : state_of(prev);
    tell(state, cpu, prev, next, what);
    return 0;
}

/* Tells of `task` beside the one that runs here, if it belongs to the target. */
static __always_inline int tell_beside(struct task_struct *task, struct happening what)
{
    struct task_struct *current = bpf_get_current_task_btf();
    __u32 cpu;
    struct schedule_cpu *state = state_here(&cpu);

    if (!state || !is_ours(state, task))
        return 0;
    what.flags = SCHEDULE_B_IS_OURS;
    if (is_ours(state, current))
        what.flags |= SCHEDULE_A_IS_OURS;
    tell(state, cpu, current, task, what);
    return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_wake, struct task_struct *task)
{
    return tell_beside(task, (struct happening){.kind = SCHEDULE_WAKE});
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_start, struct task_struct *task)
{
    return tell_beside(task, (struct happening){.kind = SCHEDULE_START});
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_move, struct task_struct *task, int to)
{
    return tell_beside(
        task, (struct happening){.kind = SCHEDULE_MOVE, .state = cpu_of(task), .to = (__u32)to});
}

/* A process of the target starts another one, which belongs to it as well. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
    __u32 from = (__u32)parent->tgid, to = (__u32)child->tgid, yes = 1;

    if (scope == SCHEDULE_OF_PROCESSES && from != to && bpf_map_lookup_elem(&processes, &from))
        (void)bpf_map_update_elem(&processes, &to, &yes, BPF_ANY);
    return 0;
}

/*
 * The last thread of a process has left its CPU for ever: the number is free for others. At its
 * exit it is still to be told of, since it has a last switch before it.
 */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *task)
{
    __u32 pid = (__u32)task->pid;

    if (scope == SCHEDULE_OF_PROCESSES && task->pid == task->tgid)
        (void)bpf_map_delete_elem(&processes, &pid);
    return 0;
}

/*
 * Tells who runs on this CPU, and returns the number of its process. It is never attached: the
 * loader runs it by BPF_PROG_TEST_RUN.
 */
SEC("raw_tp/sched_switch")
int on_begin(void *unused)
{
    (void)tell_beside(bpf_get_current_task_btf(), (struct happening){.kind = SCHEDULE_RUNS});
    return (int)(bpf_get_current_pid_tgid() >> 32);
}

char LICENSE[] SEC("license") = "GPL";
