/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Charges what a CPU's perf events have counted to the cgroup that ran, and to the process if
 * that is watched.
 *
 * A cgroup that is a target has a slot, found by its id; one that is none is charged to the
 * nearest ancestor that is, or to the rest. So the number of cgroups on the machine, which
 * strangers decide, costs a bounded cache and nothing else. Whose slot it is is remembered at
 * each switch and charged at the next one that leads to another slot: by then the task may have
 * been moved, and what it had counted until then is the old cgroup's.
 *
 * A process that is watched has a slot beside that of its cgroup; its threads need not be known.
 * What it starts is entered before its first instruction, and each leaves when the last of its
 * threads ends, before its number can be another's.
 *
 * A switch runs with interrupts off on its CPU, and a refresh from elsewhere is an interrupt;
 * what is charged outside of these is marked, so that a refresh keeps off: the state of a CPU is
 * never touched by two.
 *
 * Not every switch is told everywhere: kernels have been seen that keep the tracepoints of
 * some processes to themselves, and then who runs after one of these is not who is remembered
 * (gap.bpf.h).
 */
#include "sys/bpf/switch/gap.bpf.h"

#include <bpf/bpf_tracing.h>

/* Whether the state is being changed with interrupts on: by who cannot be preempted, though. */
static __always_inline void set_changing(struct switch_cpu *state, bool changing)
{
    *(volatile __u32 *)&state->is_changing = changing;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place from = place_of_runner(prev), to = place_of(next, NULL);
    struct switch_runner runner;
    bool was_last, reads;

    if (!state)
        return 0;
    catch_up(state, cpu, &from, true);
    note_arrival(state, next);
    was_last = control.watches && state->runner.watched != SWITCH_SLOT_NONE && prev->exit_state;
    reads = was_last || leaves_untold(state, next);
    if (!reads && is_same_runner(state, &to))
        return 0;
    runner = runner_of(state, &to);
    if (reads || !is_charged_alike(&runner, &state->runner)) {
        charge(cpu, was_last ? TURN_WAS_LAST : TURN_ENDS);
        note_reading(state, &from);
    }
    state->runner = runner;
    return 0;
}

/*
 * Run by BPF_PROG_TEST_RUN on each CPU; never attached. Brings the CPU's cells to the present;
 * whose slots these are is found out anew. 1: not at this moment.
 */
SEC("raw_tp/sched_switch")
int on_refresh(void *unused)
{
    struct task_struct *current = bpf_get_current_task_btf();
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place place = place_of_runner(current);

    if (!state)
        return 0;
    if (*(volatile __u32 *)&state->is_changing)
        return 1;
    catch_up(state, cpu, &place, false);
    note_arrival(state, current);
    charge(cpu, TURN_GOES_ON);
    note_reading(state, &place);
    state->runner = runner_afresh(state, &place);
    return 0;
}

/*
 * A task that moves itself is charged to its new cgroup from here on. One that another moves, be
 * that a thread of its own process, may run on another CPU, which this one cannot make look: when
 * that looks next, at a switch or a refresh, it finds the task elsewhere and here when that began.
 * Of several moves in between, the last one counts. Behind a switch that was not told, that is left
 * to the next look too.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_move, struct cgroup *to, const char *path, struct task_struct *leader,
             bool threadgroup)
{
    struct task_struct *current = bpf_get_current_task_btf();
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place place = place_of_runner(current);
    __u32 tgid = (__u32)leader->tgid;
    __u64 now_ns = bpf_ktime_get_ns();

    if (leader != current || threadgroup)
        (void)bpf_map_update_elem(&moves, &tgid, &now_ns, BPF_ANY);
    if (!state || is_in_place(state, &place) || untold_before(state, &place, false))
        return 0;
    set_changing(state, true);
    charge(cpu, TURN_GOES_ON);
    note_reading(state, &place);
    state->runner = runner_of(state, &place);
    set_changing(state, false);
    return 0;
}

/* What a process starts that is watched with its children. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
    __u32 from = (__u32)parent->tgid, to = (__u32)child->tgid;
    struct switch_watched *found, entry;

    if (from == to)
        return 0; /* a thread */
    found = bpf_map_lookup_elem(&watched, &from);
    if (!found || !found->children)
        return 0;
    entry = *found;
    if (bpf_map_update_elem(&watched, &to, &entry, BPF_ANY) < 0)
        __sync_fetch_and_add(&control.unfollowed, 1);
    return 0;
}

/*
 * Where this is told right before the kernel closes the events of a thread (since Linux 6.16,
 * while it has its memory yet), it is where perf stops to count it. Before, that is some steps
 * later, hardly ahead of the last switch.
 */
static __always_inline void stop_watching(struct task_struct *task)
{
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place place = place_of_runner(task);

    if (!state || !task->mm || state->runner.watched == SWITCH_SLOT_NONE ||
        untold_before(state, &place, false))
        return; /* behind a switch that was not told, the last one divides */
    set_changing(state, true);
    charge(cpu, TURN_GOES_ON);
    note_reading(state, &place);
    state->runner.tgid = 0; /* whoever comes next is looked up, also another thread of it */
    state->runner.watched = SWITCH_SLOT_NONE;
    set_changing(state, false);
}

/* A process leaves when its last thread has counted itself out. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;

    stop_watching(task);
    if (task->signal->live.counter == 0)
        (void)bpf_map_delete_elem(&watched, &tgid);
    return 0;
}

/* Run by BPF_PROG_TEST_RUN; never attached. The number of the process that asks, as we see it. */
SEC("raw_tp/sched_process_exec")
int on_ask(void *unused)
{
    return (int)(bpf_get_current_pid_tgid() >> 32);
}

char LICENSE[] SEC("license") = "GPL";
