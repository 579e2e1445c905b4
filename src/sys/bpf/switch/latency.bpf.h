/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * How long threads wait for a CPU, run, and are blocked. The kernel has stamped all of it when a
 * switch takes place: when the task that goes had come (sched_info.last_arrival), since when the
 * one that comes has waited (last_queued), and how long it had waited on other CPUs before it was
 * moved here, which is in the sum of all its waits (run_delay). So no program runs at wake-ups, and
 * no clock is read.
 *
 * Of a thread that is away three things are remembered: when it left, what its sum of waits was
 * then, and why it left. They stand in a table with a few places for each thread, by its number. A
 * thread has its place from its departure to its arrival, and nobody else writes there meanwhile.
 *
 * A thread that is preempted after it has set its state to be blocked, and before it is, stays on
 * its run queue: it waits like others, and blocks when it has its CPU again. The kernel stamps only
 * those that wait in the state TASK_RUNNING (sched_info_depart() in kernel/sched/stats.h), so that
 * its own sums lack this wait. Here it is all of the thread's absence. Nor is its arrival stamped
 * then (sched_info_arrive()): for the kernel the slice that it ends in began before it was
 * preempted. So the time of each arrival that is seen is remembered here.
 *
 * A kernel that delays dequeues (since Linux 6.12) may count sleep as wait: a sleeper that is moved
 * before it has left its run queue is stamped as a waiter. Such a thread is marked when it is
 * moved, and its next wait is counted as unknown.
 */
#include "sys/bpf/exponent.h"
#include "sys/bpf/switch/gap.bpf.h"
#include "sys/bpf/task.bpf.h"

/* The loader sets these before loading. */
const volatile __u32 n_latency_slots = 1; /* slots that have distributions, the first ones */
const volatile __u32 away_bits = 0;       /* the table of threads that are away has 2^this places */
const volatile bool tells_state = false;  /* sched_switch has the state of the one that goes */

/* States of tasks, as in the kernel's sched.h. */
#define TASK_INTERRUPTIBLE   0x0001
#define TASK_UNINTERRUPTIBLE 0x0002
#define TASK_DEAD            0x0080
#define TASK_WAKING          0x0200
#define TASK_NOLOAD          0x0400 /* an idle thread of the kernel: blocked, and nobody waits */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct switch_latency);
    __uint(max_entries, 1);
} latencies SEC(".maps"); /* [cpu][slot] */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct switch_away);
    __uint(max_entries, 1);
} away SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct switch_cpu_place);
    __uint(max_entries, 1);
} cpu_places SEC(".maps");

/* Whether this kernel has the stamps. */
static __always_inline bool knows_latencies(void)
{
    return knows_queues() && bpf_core_field_exists(struct sched_info, last_queued) &&
           bpf_core_field_exists(struct sched_info, run_delay) &&
           bpf_core_field_exists(struct sched_info, pcount);
}

/*
 * What is counted with a runner: the cell of its cgroup's slot, and that of its process if that is
 * watched. A slot without distributions is in the cell of the rest.
 */
struct latency_cells {
    struct switch_cpu *state;                /* of the CPU */
    struct switch_latency *cgroup, *process; /* NULL: none */
};

static __always_inline struct switch_latency *latency_of(__u32 cpu, __u32 slot)
{
    __u32 cell = cpu * n_latency_slots + slot;

    return bpf_map_lookup_elem(&latencies, &cell);
}

static __always_inline struct latency_cells cells_of(struct switch_cpu *state, __u32 cpu,
                                                     const struct switch_runner *runner)
{
    const __u32 slot = runner->slot < n_latency_slots ? runner->slot : SWITCH_SLOT_REST;

    return (struct latency_cells){
        .state = state,
        .cgroup = latency_of(cpu, slot),
        .process = runner->timed < n_latency_slots ? latency_of(cpu, runner->timed) : NULL,
    };
}

struct range {
    __u32 first, n;
    __s32 exponent;
};

static __always_inline void add_to(struct switch_latency *cell, __u32 distribution, __u32 bucket,
                                   __u64 ns)
{
    if (!cell)
        return;
    cell->sums_ns[distribution] += ns;
    cell->buckets[bucket]++;
    cell->changes++;
}

/*
 * Adds a duration to a distribution. Which one, and its range, are known when this is compiled. The
 * exponent goes through memory, so that the verifier forgets how it was found: else it would walk
 * through all that follows once for each value.
 */
static __always_inline void add_duration(const struct latency_cells *cells, __u32 distribution,
                                         struct range range, __u64 ns)
{
    volatile __u32 *forgetful = &cells->state->exponent;
    const __u32 first = (__u32)(range.exponent + 30);
    __u32 exponent, bucket;

    *forgetful = exponent_of(ns);
    exponent = *forgetful;
    bucket = exponent > first ? exponent - first : 0;
    bucket = bucket < range.n ? bucket : range.n - 1;
    barrier_var(bucket); /* the sum must not become an `or`, whose bounds the verifier loses */
    bucket += range.first;
    add_to(cells->cgroup, distribution, bucket, ns);
    add_to(cells->process, distribution, bucket, ns);
}

static __always_inline void tally_in(struct switch_latency *cell, __u32 tally)
{
    if (!cell)
        return;
    cell->tallies[tally]++;
    cell->changes++;
}

static __always_inline void add_tally(const struct latency_cells *cells, __u32 tally)
{
    tally_in(cells->cgroup, tally);
    tally_in(cells->process, tally);
}

/* A place in the table of a thread of this number. */
static __always_inline __u32 away_place(__u32 pid, __u32 i)
{
    static const __u32 factors[SWITCH_AWAY_PLACES] = {1, 0x9e3779b1u, 0x85ebca6bu, 0xc2b2ae35u};
    const __u32 mixed = pid * factors[i];

    return (i ? mixed >> 7 : mixed) & ((1u << away_bits) - 1);
}

static __always_inline struct switch_away *away_at(__u32 place)
{
    return bpf_map_lookup_elem(&away, &place);
}

/* 1 + the place behind the first where the thread is remembered; 0: nowhere. */
__noinline int find_further(__u32 pid)
{
#pragma unroll
    for (__u32 i = 1; i < SWITCH_AWAY_PLACES; i++) {
        const __u32 place = away_place(pid, i);
        const struct switch_away *entry = away_at(place);

        if (entry && entry->pid == pid)
            return (int)place + 1;
    }
    return 0;
}

/* Where the thread is remembered; NULL: nowhere. Most are in their first place. */
static __always_inline struct switch_away *find_away(__u32 pid)
{
    struct switch_away *entry = away_at(away_place(pid, 0));
    int further;

    if (entry && entry->pid == pid)
        return entry;
    further = find_further(pid);
    return further > 0 ? away_at((__u32)further - 1) : NULL;
}

/* Whether the thread has, or gets, this place. */
static __always_inline bool claims(struct switch_away *entry, __u32 pid)
{
    return entry->pid == pid ||
           (entry->pid == 0 && __sync_val_compare_and_swap(&entry->pid, 0, pid) == 0);
}

/* 1 + a place behind the first that the thread has got; 0: all are taken. */
__noinline int claim_further(__u32 pid)
{
#pragma unroll
    for (__u32 i = 1; i < SWITCH_AWAY_PLACES; i++) {
        const __u32 place = away_place(pid, i);
        struct switch_away *entry = away_at(place);

        if (entry && claims(entry, pid))
            return (int)place + 1;
    }
    return 0;
}

/* A place for the thread; NULL: all its places are taken. */
static __always_inline struct switch_away *claim_away(__u32 pid)
{
    struct switch_away *entry = away_at(away_place(pid, 0));
    int further;

    if (entry && claims(entry, pid))
        return entry;
    further = claim_further(pid);
    return further > 0 ? away_at((__u32)further - 1) : NULL;
}

/* Why a thread leaves its CPU. state: that in which it does so; 0: it is preempted. */
static __always_inline __u32 how_of(const struct task_struct *task, __u32 state)
{
    if (!state)
        return state_of(task) ? SWITCH_AWAY_UNSTAMPED : SWITCH_AWAY_PREEMPTED;
    return (state & TASK_UNINTERRUPTIBLE) && !(state & TASK_NOLOAD) ? SWITCH_AWAY_UNINTERRUPTIBLE
                                                                    : SWITCH_AWAY_INTERRUPTIBLE;
}

/* Remembers a thread that leaves its CPU. */
static __always_inline void remember_away(struct switch_cpu *cpu, const struct task_struct *task,
                                          __u32 how, __u64 now)
{
    struct switch_away *entry = claim_away((__u32)task->pid);

    if (!entry) {
        /* its block will not be known, or not its wait */
        cpu->n_unknown += how != SWITCH_AWAY_PREEMPTED;
        return;
    }
    entry->how = how;
    entry->since = now;
    entry->run_delay = task->sched_info.run_delay;
}

/* What has come to an end with an arrival. */
struct ended_absence {
    bool is_known; /* it is new, or was seen going */
    __u32 how;
    __u64 since;
    __u64 waited; /* on other CPUs, before the task was moved to this one */
};

/*
 * What was remembered of a task that comes back; it is forgotten. A task that is new has no past;
 * of one that we have not seen going, what it waited on other CPUs is not known. The exchange is a
 * barrier: whoever takes the place next writes there after we have read.
 */
static __always_inline struct ended_absence end_absence(const struct task_struct *task)
{
    struct switch_away *entry = find_away((__u32)task->pid);
    const __u64 run_delay = task->sched_info.run_delay;
    const bool is_new = task->sched_info.pcount == 0;
    struct ended_absence ended = {
        .is_known = is_new, .how = SWITCH_AWAY_PREEMPTED, .waited = is_new ? run_delay : 0};

    if (!entry)
        return ended;
    if (!is_new)
        ended = (struct ended_absence){.is_known = true,
                                       .how = entry->how,
                                       .since = entry->since,
                                       .waited = run_delay - entry->run_delay};
    (void)__sync_lock_test_and_set(&entry->pid, 0);
    return ended;
}

/*
 * A thread has got its CPU at `now`, after it waited there for `queued` ns. A blocked thread waits
 * at its end: the rest of its absence is the block.
 */
static __always_inline void note_absence_end(struct switch_cpu *state, __u32 cpu,
                                             const struct task_struct *task, __u64 now,
                                             __u64 queued, bool was_hidden)
{
    const struct latency_cells cells = cells_of(state, cpu, &state->runner);
    const struct ended_absence ended = end_absence(task);
    const __u64 gone = now - ended.since;
    const __u64 waited = ended.how == SWITCH_AWAY_UNSTAMPED ? gone : ended.waited + queued;
    const __u64 blocked = gone > waited && gone >> 63 == 0 ? gone - waited : 0;

    if (ended.how & SWITCH_AWAY_SUSPECT || (was_hidden && !ended.is_known)) {
        state->n_unknown++;
        return;
    }
    add_duration(&cells, SWITCH_RUN_QUEUE, (struct range){SWITCH_RANGE_RUN_QUEUE}, waited);
    if (ended.how == SWITCH_AWAY_INTERRUPTIBLE)
        add_duration(&cells, SWITCH_OFF_CPU_INTERRUPTIBLE,
                     (struct range){SWITCH_RANGE_OFF_CPU_INTERRUPTIBLE}, blocked);
    else if (ended.how == SWITCH_AWAY_UNINTERRUPTIBLE)
        add_duration(&cells, SWITCH_OFF_CPU_UNINTERRUPTIBLE,
                     (struct range){SWITCH_RANGE_OFF_CPU_UNINTERRUPTIBLE}, blocked);
}

/* The task has come to the CPU, whose state is its own by now. */
static __always_inline void note_coming(struct switch_cpu *state, __u32 cpu,
                                        const struct task_struct *task, __u64 now)
{
    const __u64 queued = task->sched_info.last_queued;

    if (!task->pid)
        return;
    state->came = now;
    note_absence_end(state, cpu, task, now, queued && now > queued ? now - queued : 0, false);
}

/* The task runs, and its coming was hidden. Its wait is in run_delay as a whole by now. */
static __noinline void note_hidden_coming(struct switch_cpu *state, __u32 cpu,
                                          const struct task_struct *task)
{
    if (task->pid)
        note_absence_end(state, cpu, task, task->sched_info.last_arrival, 0, true);
}

/*
 * The task leaves the CPU. If a switch was hidden before this one, its coming was. state: that in
 * which it goes, 0 if it is preempted. One that ends does not come back.
 */
static __always_inline void note_going(struct switch_cpu *cpu_state, __u32 cpu,
                                       const struct task_struct *task, __u32 state, __u64 now)
{
    struct latency_cells cells;
    __u64 came;

    if (cpu_state->n_noted != cpu_state->n_hidden) {
        note_hidden_coming(cpu_state, cpu, task);
        cpu_state->came = 0;
    }
    came = cpu_state->came ? cpu_state->came : task->sched_info.last_arrival;
    cpu_state->n_noted = cpu_state->n_hidden;
    if (!task->pid)
        return;
    cells = cells_of(cpu_state, cpu, &cpu_state->runner);
    add_duration(&cells, SWITCH_ON_CPU, (struct range){SWITCH_RANGE_ON_CPU},
                 now > came ? now - came : 0);
    add_tally(&cells, state ? SWITCH_VOLUNTARY : SWITCH_INVOLUNTARY);
    if (!(state & TASK_DEAD))
        remember_away(cpu_state, task, how_of(task, state), now);
}

/* How far apart two CPUs are. */
static __always_inline __u32 distance(__u32 from, __u32 to)
{
    const struct switch_cpu_place *a = bpf_map_lookup_elem(&cpu_places, &from);
    const struct switch_cpu_place *b = bpf_map_lookup_elem(&cpu_places, &to);

    if (!a || !b || a->node != b->node)
        return SWITCH_MOVED_NODE;
    if (a->llc != b->llc)
        return SWITCH_MOVED_LLC;
    return a->core == b->core ? SWITCH_MOVED_SMT : SWITCH_MOVED_CORE;
}

/* A task that sleeps is moved, and will be taken for one that waits. */
static __always_inline void suspect(const struct task_struct *task)
{
    struct switch_away *entry = find_away((__u32)task->pid);

    if (entry)
        entry->how |= SWITCH_AWAY_SUSPECT;
}
