/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Charges what the perf events of a CPU have counted to the cgroup that ran, and to the process
 * that ran, if it is watched.
 *
 * Cgroups. A cgroup that is a target has a slot, which is found by the cgroup's id. A cgroup that
 * is no target is charged to its nearest ancestor that is one, or to the rest. So it makes no
 * difference how many cgroups strangers make: they cost a cache of bounded size. Who runs is
 * remembered at each switch, and is charged at the next switch that leads to another slot. The slot
 * is the remembered one, and not that of the task's present cgroup: if the task was moved
 * meanwhile, what it counted before belongs to the old cgroup.
 *
 * Processes. A watched process has a slot beside that of its cgroup. Its threads need not be known.
 * A process that it starts is entered before its first instruction. A process is removed when the
 * last of its threads ends, before its number can be given to another process.
 *
 * Concurrency. The state of a CPU is changed on that CPU only. A switch runs with interrupts
 * disabled, and a refresh from another CPU arrives as an interrupt. The other programs run with
 * interrupts enabled; they mark the state as changing, and a refresh then does nothing and is tried
 * again.
 *
 * Latencies (latency.bpf.h). If they are wanted, each switch also notes how long the one who goes
 * has run, and how long the one who comes has waited and was blocked. It is the same program with
 * more in it, since a second program at each switch would cost more than what it does.
 *
 * Hidden switches. Some kernels do not run the tracepoints of some processes. After such a switch
 * another task runs than the one that is remembered (gap.bpf.h).
 */
#include "sys/bpf/switch/latency.bpf.h"

#include <bpf/bpf_tracing.h>

/*
 * Marks that the state is being changed with interrupts enabled. Nobody can preempt the
 * program meanwhile: tracepoints run with preemption disabled.
 */
static __always_inline void set_changing(struct switch_cpu *state, bool changing)
{
    *(volatile __u32 *)&state->is_changing = changing;
}

/* The CPU's state is made that of the one who comes. */
static __always_inline void change_runner(struct switch_cpu *state, __u32 cpu,
                                          const struct place *from, const struct place *to)
{
    const bool was_last =
        control.watches && state->runner.watched != SWITCH_SLOT_NONE && from->task->exit_state;
    const bool reads = was_last || leaves_hidden(state, to->task);
    struct switch_runner runner;

    if (!reads && is_same_runner(state, to))
        return;
    runner = runner_of(state, to);
    if (reads || !is_charged_alike(&runner, &state->runner)) {
        charge(cpu, was_last ? TURN_WAS_LAST : TURN_ENDS);
        note_reading(state, from);
    }
    state->runner = runner;
}

/* With latencies: the state in which the one who goes does so; 0: it is preempted. */
static __always_inline void handle_switch(struct task_struct *prev, struct task_struct *next,
                                          bool with_latencies, __u32 prev_state)
{
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place from = place_of_runner(prev), to = place_of(next, NULL);

    if (!state)
        return;
    catch_up(state, cpu, &from, true);
    note_arrival(state, next);
    if (with_latencies)
        note_going(state, cpu, prev, prev_state, from.queue->clock);
    change_runner(state, cpu, &from, &to);
    if (with_latencies)
        note_coming(state, cpu, next, from.queue->clock);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    handle_switch(prev, next, false, 0);
    return 0;
}

/*
 * In the place of on_switch() where latencies are wanted. A thread that is being woken while it
 * goes is in the state TASK_WAKING already; since Linux 5.18 the kernel tells the one before.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_timed_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    __u32 state = preempt || !knows_latencies() ? 0 : state_of(prev);

    if (state & TASK_WAKING)
        state = tells_state ? (__u32)((volatile __u64 *)ctx)[3] : TASK_INTERRUPTIBLE;
    handle_switch(prev, next, knows_latencies(), state);
    return 0;
}

/* A task is moved to another CPU. Interrupts are disabled. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_migrate, struct task_struct *task, int to)
{
    __u32 cpu = bpf_get_smp_processor_id(), from = cpu_of(task);
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place place = place_of(task, NULL);
    struct switch_runner runner = {.timed = SWITCH_SLOT_NONE};
    struct latency_cells cells;

    if (bpf_core_field_exists(struct sched_entity, sched_delayed) && task->se.sched_delayed)
        suspect(task);
    if (!state || from == (__u32)to)
        return 0;
    /* who changes the state with interrupts enabled may be changing this very entry of its cache */
    runner.slot = *(volatile __u32 *)&state->is_changing ? nearest_slot(place.cgroup)
                                                         : slot_of(state, place.cgroup, place.id);
    if (control.watches)
        runner.timed = slot_of_process((__u32)task->tgid);
    cells = cells_of(state, cpu, &runner);
    add_tally(&cells, distance(from, (__u32)to));
    return 0;
}

/* Whether the kernel has what latencies take. It is never attached. */
SEC("raw_tp/sched_process_exec")
int on_ask_latencies(void *unused)
{
    return knows_latencies();
}

/*
 * Brings the cells of a CPU up to the present, and finds out anew to which slots the running task
 * is charged. It is never attached: the loader runs it on the CPU by BPF_PROG_TEST_RUN. 1: the
 * state is being changed, and nothing was done.
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
 * A task is moved to another cgroup. If it moves itself, it is charged to the new cgroup from here
 * on. If it is moved by another task, also by a thread of the same process, it may run on another
 * CPU, which cannot be told of it from here. At its next switch or refresh that CPU finds the task
 * in another cgroup than is remembered, and finds in `moves` since when. If there were several
 * moves in between, only the last one is known. After a hidden switch this is left to the next
 * look, too.
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
    if (!state || is_in_place(state, &place) || hidden_before(state, &place, false))
        return 0;
    set_changing(state, true);
    charge(cpu, TURN_GOES_ON);
    note_reading(state, &place);
    state->runner = runner_of(state, &place);
    set_changing(state, false);
    return 0;
}

/* A process starts another one. If it is watched with its children, the new one is watched, too. */
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
 * Ends that an exiting thread is charged to its process. Since Linux 6.16 the kernel calls the
 * tracepoint right before it closes the events of the thread, while the thread still has its
 * memory: that is where perf stops to count it, and so do we. In older kernels perf stops some
 * steps later, shortly before the last switch, and on_switch() ends it there.
 */
static __always_inline void stop_watching(struct task_struct *task)
{
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);
    const struct place place = place_of_runner(task);

    if (!state || !task->mm || state->runner.watched == SWITCH_SLOT_NONE ||
        hidden_before(state, &place, false))
        return; /* after a hidden switch, the gap is divided at the last switch */
    set_changing(state, true);
    charge(cpu, TURN_GOES_ON);
    note_reading(state, &place);
    state->runner.tgid = 0; /* so that the next task is looked up, even one of the same process */
    state->runner.watched = SWITCH_SLOT_NONE;
    set_changing(state, false);
}

/* A thread exits. With its last thread the process is no longer watched. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;

    stop_watching(task);
    if (task->signal->live.counter == 0)
        (void)bpf_map_delete_elem(&watched, &tgid);
    return 0;
}

/* Returns the number of the process that runs it by BPF_PROG_TEST_RUN. It is never attached. */
SEC("raw_tp/sched_process_exec")
int on_ask(void *unused)
{
    return (int)(bpf_get_current_pid_tgid() >> 32);
}

char LICENSE[] SEC("license") = "GPL";
