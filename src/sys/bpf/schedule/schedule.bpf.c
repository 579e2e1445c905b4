/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Tells of every switch, wake-up and move of the threads of one target, of their requests to block
 * devices and, where they are vCPUs, of the exits of their guests, by a ring that user space reads.
 * What concerns no thread of the target is left out here, so that a busy machine does not fill the
 * ring. Where the ring has no room the record is lost, and is counted: the next record of the same
 * CPU tells how many are missing before it, so that nobody takes a gap for a fact.
 *
 * Requests and exits. Each is told of when it has ended, by one record. The loader leaves out what
 * this kernel has no hooks for.
 *
 * Processes. The processes of the target are in a table. What they start is entered before its
 * first instruction, and leaves the table with its last thread.
 *
 * It is loaded while somebody records, and not otherwise.
 */
#include "sys/bpf/kvm/exit.bpf.h"
#include "sys/bpf/schedule/requests.bpf.h"
#include "sys/bpf/schedule/telling.bpf.h"

#include <bpf/bpf_tracing.h>

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

SEC("tp_btf/block_rq_insert")
int BPF_PROG(on_insert, struct request *request)
{
    if (is_recording())
        (void)on_way_of(request);
    return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
    struct on_way *way = is_recording() ? on_way_of(request) : NULL;

    if (way)
        way->issued_ns = bpf_ktime_get_ns();
    return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes)
{
    if (is_recording())
        complete(request, error, bytes);
    return 0;
}

/* It returns 1: after 0 the kernel would hide the exit from all others who count it by perf. */
SEC("tp/kvm/kvm_exit")
int on_exit(void *record)
{
    if (is_recording())
        stamp_begin((__u32)bpf_get_current_pid_tgid(), subject_of(record));
    return 1;
}

/* Interrupts are disabled here, as at all hooks of the scheduler. */
SEC("raw_tp/kvm_entry")
int on_entry(struct bpf_raw_tracepoint_args *args)
{
    struct task_struct *task = bpf_get_current_task_btf();
    struct happening what = {.kind = SCHEDULE_EXIT, .flags = SCHEDULE_A_IS_OURS};
    struct stamp stamp = {0};
    __u32 cpu;
    struct schedule_cpu *state = state_here(&cpu);
    struct schedule_record *record;

    if (!state || !has_left(task, &stamp) || !is_ours(state, task))
        return 0;
    record = begin_record(state, cpu, what);
    if (!record)
        return 0;
    describe(task, &record->a);
    record->exit = (struct schedule_exit_part){.begun_ns = stamp.since,
                                               .isa = (__u32)(stamp.subject >> 32),
                                               .code = (__u32)stamp.subject,
                                               .vcpu = (__u32)vcpu_of(args->args[0])};
    bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
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
