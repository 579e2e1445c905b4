/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Charges what a CPU's perf events have counted to the cgroup that ran.
 *
 * A target has a slot, found by the id of its cgroup; a cgroup that is none is charged to
 * the nearest ancestor that is, or to the rest. So the number of cgroups on the machine,
 * which strangers decide, costs a bounded cache and nothing else. Whose slot it is is
 * remembered at each switch and charged at the next one that leads to another slot: by then
 * the task may have been moved, and what it has counted was the old cgroup's.
 *
 * A switch runs with interrupts off on its CPU, and a refresh from elsewhere is an interrupt:
 * the state of a CPU is never touched by two.
 *
 * Not every switch is told everywhere: kernels have been seen that keep the tracepoints of
 * some processes to themselves, and then who runs after one of these is not who is remembered.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sys/bpf/switch_layout.h"

/* Ancestors that are looked at; what is nested deeper below a target is charged to the rest. */
#define DEEPEST 128

/* The kernel's types, reduced to what is read of them; the loader finds the offsets. */
#define KERNEL_TYPE __attribute__((preserve_access_index))

struct kernfs_node {
    __u64 id;
} KERNEL_TYPE;

struct cgroup_subsys_state {
    struct cgroup *cgroup;
    struct cgroup_subsys_state *parent;
} KERNEL_TYPE;

struct cgroup {
    struct cgroup_subsys_state self;
    struct kernfs_node *kn;
} KERNEL_TYPE;

struct css_set {
    struct cgroup_subsys_state *subsys[16];
    struct cgroup *dfl_cgrp;
} KERNEL_TYPE;

struct sched_entity {
    __u64 sum_exec_runtime;
    __u64 prev_sum_exec_runtime; /* the same when the task was last picked */
} KERNEL_TYPE;

struct task_struct {
    struct css_set *cgroups;
    struct sched_entity se;
    int pid; /* of the thread, in the initial namespace */
} KERNEL_TYPE;

enum cgroup_subsys_id { perf_event_cgrp_id = 8 };

/* Set before loading. */
const volatile __u32 n_cpus = 1;   /* the highest number of a CPU, and 1 */
const volatile __u32 n_slots = 1;  /* of each CPU */
const volatile __u32 n_lanes = 3;  /* of a cell */
const volatile bool is_v1 = false; /* perf_event has a hierarchy of its own */

struct switch_control control;

struct {
    __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
    __uint(max_entries, SWITCH_EVENTS_MAX);
} events SEC(".maps"); /* [cpu][event] */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct switch_cpu);
    __uint(max_entries, 1);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u64));
    __uint(max_entries, 1);
} cells SEC(".maps"); /* [cpu][slot] */

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u64);
    __type(value, __u32);
    __uint(max_entries, 1);
} slots SEC(".maps"); /* of targets, by the id of the cgroup */

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

/*
 * What an event says now; its times only where they are wanted, since they take the kernel a look
 * at the clock. Not 0: it is not open there.
 */
static __always_inline int read_event(__u32 cpu, __u32 event, struct switch_reading *now)
{
    __u64 index = cpu * SWITCH_EVENTS_MAX + event, value;

    if (control.events[event].times != SWITCH_NO_TIMES)
        return bpf_perf_event_read_value(&events, index, (void *)now, sizeof(*now));
    value = bpf_perf_event_read(&events, index);
    if (value > -4096ULL) /* an errno; a value that is as near to its end is read the next time */
        return -1;
    *now = (struct switch_reading){.value = value};
    return 0;
}

/* Adds what an event has counted from its last reading to this one, which is the last then. */
static __always_inline void add(__u32 event, const struct switch_reading *now,
                                struct switch_reading *last, __u64 *cell)
{
    __u32 value = control.events[event].value, times = control.events[event].times;

    if (value < n_lanes)
        cell[value] += now->value - last->value;
    if (times < n_lanes - 1) {
        cell[times] += now->enabled - last->enabled;
        cell[times + 1] += now->running - last->running;
    }
    *last = *now;
}

/*
 * What has been counted since the last reading goes to the slot that is remembered. ending: at
 * the end of its turn, by a switch that the kernel counts right behind the tracepoint.
 */
static __always_inline void charge(struct switch_cpu *state, __u32 cpu, bool ending)
{
    __u32 index = cpu * n_slots + state->slot;
    __u64 *cell = bpf_map_lookup_elem(&cells, &index);

    if (!cell)
        return;
    for (__u32 i = 0; i < SWITCH_EVENTS_MAX; i++) {
        struct switch_reading now;

        if (i >= n_lanes || i >= control.n_events) /* the first is known to the verifier */
            break;
        if (read_event(cpu, i, &now) < 0)
            continue; /* it is not open there */
        if (ending && control.events[i].counts_switches)
            now.value++;
        add(i, &now, &state->last[i], cell);
    }
}

/* In 1/1024: how much of the time since the last reading the task has run. */
static __always_inline __u64 share_of(struct task_struct *task, const struct switch_cpu *state,
                                      __u32 cpu)
{
    __u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime, passed;
    struct switch_reading now;

    if (bpf_perf_event_read_value(&events, cpu * SWITCH_EVENTS_MAX, (void *)&now, sizeof(now)) < 0)
        return 0;
    passed = now.enabled - state->last[0].enabled;
    return ran < passed ? ran * 1024 / passed : 1024;
}

/*
 * Charges a part of what has been counted since the last reading to another slot than the
 * remembered one, which gets the rest of it when it is charged. Of all that, the doubtful
 * slot keeps the sum.
 */
static __always_inline void charge_part(struct switch_cpu *state, __u32 cpu, __u32 slot,
                                        __u64 share)
{
    __u32 index = cpu * n_slots + slot, doubtful = cpu * n_slots + SWITCH_SLOT_DOUBTFUL;
    __u64 *cell = bpf_map_lookup_elem(&cells, &index);
    __u64 *doubt = bpf_map_lookup_elem(&cells, &doubtful);

    if (!cell || !doubt)
        return;
    for (__u32 i = 0; i < SWITCH_EVENTS_MAX; i++) {
        struct switch_reading now, part, last;

        if (i >= n_lanes || i >= control.n_events) /* the first is known to the verifier */
            break;
        last = part = state->last[i];
        if (read_event(cpu, i, &now) < 0)
            continue;
        add(i, &now, &last, doubt);
        part.value += (now.value - part.value) * share / 1024;
        part.enabled += (now.enabled - part.enabled) * share / 1024;
        part.running += (now.running - part.running) * share / 1024;
        add(i, &part, &state->last[i], cell);
    }
}

/*
 * The task that runs is in another cgroup than the remembered one: we have not been told of
 * the switch to it. What it ran in this turn is its own.
 */
static __noinline void make_up(struct switch_cpu *state, __u32 cpu, struct task_struct *task)
{
    struct cgroup *cgroup = cgroup_of(task);
    __u64 id = cgroup->kn->id;
    __u32 slot = slot_of(state, cgroup, id);

    if (slot != state->slot) {
        charge_part(state, cpu, slot, share_of(task, state, cpu));
        charge(state, cpu, false);
    }
    state->cgroup = id;
    state->slot = slot;
}

/* Whoever leaves now came with the last switch, or with one that was not told. */
static __always_inline void follow(struct switch_cpu *state, struct task_struct *prev,
                                   struct task_struct *next)
{
    if (state->task != 0 && state->task != (__u32)prev->pid + 1)
        state->missed++;
    state->task = (__u32)next->pid + 1;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
    struct cgroup *cgroup = cgroup_of(next);
    __u64 id = cgroup->kn->id;
    __u32 cpu = bpf_get_smp_processor_id(), slot;
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);

    if (!state)
        return 0;
    follow(state, prev, next);
    if (cgroup_of(prev)->kn->id != state->cgroup)
        make_up(state, cpu, prev);
    if (state->cgroup == id)
        return 0;
    state->cgroup = id;
    slot = slot_of(state, cgroup, id);
    if (slot == state->slot)
        return 0;
    charge(state, cpu, true);
    state->slot = slot;
    return 0;
}

/*
 * Run by BPF_PROG_TEST_RUN on each CPU; never attached. Brings the CPU's cells to the present;
 * whose slot it is is found out anew.
 */
SEC("raw_tp/sched_switch")
int on_refresh(void *unused)
{
    struct task_struct *current = bpf_get_current_task_btf();
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);

    if (!state)
        return 0;
    if (cgroup_of(current)->kn->id != state->cgroup)
        make_up(state, cpu, current);
    charge(state, cpu, false);
    state->slot = slot_of(state, cgroup_of(current), state->cgroup);
    return 0;
}

/* A task that moves itself is charged to its new cgroup from here on. */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_move, struct cgroup *to, const char *path, struct task_struct *leader,
             bool threadgroup)
{
    struct cgroup *cgroup = cgroup_of(bpf_get_current_task_btf());
    __u32 cpu = bpf_get_smp_processor_id();
    struct switch_cpu *state = bpf_map_lookup_elem(&cpus, &cpu);

    if (!state || state->cgroup == cgroup->kn->id)
        return 0;
    charge(state, cpu, false);
    state->cgroup = cgroup->kn->id;
    state->slot = slot_of(state, cgroup, state->cgroup);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
