/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Counts system calls when they return, by who made them and by their number
 * (sys/bpf/syscalls/program.h says what that is).
 *
 * Every call of every process comes by, so that each look-up counts. Each CPU has places of its own
 * (struct keyed_place), so that none waits for another one, and nothing is searched as long as two
 * of its keys do not meet in one place. Each CPU also remembers the slot of the cgroup that it
 * looked up last: it is that of the next call, too, until another cgroup runs or slots are given
 * away, which the program at each switch is told and which is read there.
 *
 * Calls that are named are timed too, from when they begin (timing.bpf.h).
 */
#include "sys/bpf/keyed.bpf.h"
#include "sys/bpf/slot_control.bpf.h"
#include "sys/bpf/syscalls/counts.h"
#include "sys/bpf/syscalls/timing.bpf.h"

#include <bpf/bpf_tracing.h>

/* The registers of a task that is in the kernel hold the number of its call. */
struct pt_regs___x86 {
    unsigned long orig_ax;
} KERNEL_TYPE;

struct pt_regs___arm64 {
    int syscallno;
} KERNEL_TYPE;

#define LARGEST_ERROR 4095

/* Calls that return twice: in the process that has made a new one, and in the new one with 0. The
 * numbers of 32 bits are the same on x86 and arm. */
#define COMPAT_FORK   2
#define COMPAT_CLONE  120
#define COMPAT_VFORK  190
#define COMPAT_CLONE3 435

/* The loader sets it before loading. */
const volatile __u8 returns_twice[SYSCALLS_NUMBERS] = {0};

/* The places of each CPU, in front of the table. */
struct places {
    struct keyed_place places[KEYED_PLACES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct places);
    __uint(max_entries, 1);
} places SEC(".maps"); /* by CPU */

/* What a CPU has looked up last. Each has a cache line of its own. */
struct known_cgroup {
    struct switch_known known;
    __u64 unused[6];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct known_cgroup);
    __uint(max_entries, 1);
} last SEC(".maps"); /* by CPU */

/* The slot that the task's cgroup is charged to. */
static __always_inline __u32 slot_of_task(struct task_struct *task, __u32 cpu,
                                          const volatile struct switch_control *control)
{
    const __u32 generation = control->generation;
    struct switch_known *known = bpf_map_lookup_elem(&last, &cpu);
    struct cgroup *cgroup = cgroup_of(task);
    const __u64 id = cgroup->kn->id;

    if (!known)
        return SWITCH_SLOT_REST;
    if (known->cgroup != id || known->generation != generation)
        *known = (struct switch_known){
            .cgroup = id, .slot = nearest_slot(cgroup), .generation = generation};
    return known->slot;
}

/* Counts in the table, which takes longer. otherwise: as for keyed_cell_of(). */
static __noinline void count_in_table(__u32 slot, __u32 otherwise, __u32 subject, bool failed)
{
    struct keyed_cell *cell = keyed_cell_of(slot, otherwise, SYSCALLS_COUNTED, subject);

    if (!cell)
        return;
    keyed_add(cell, SYSCALLS_CALLS, 1);
    if (failed)
        keyed_add(cell, SYSCALLS_ERRORS, 1);
}

static __always_inline void count(struct places *all, __u32 slot, __u32 otherwise, __u32 subject,
                                  bool failed)
{
    const __u64 key = ((__u64)slot << 32 | subject) + 1;
    struct keyed_place *place =
        &all->places[(slot + (subject << 16)) * SWITCH_KNOWN_FACTOR >> (32 - KEYED_PLACE_BITS)];

    if (place->key == 0)
        place->key = key;
    if (place->key != key) {
        count_in_table(slot, otherwise, subject, failed);
        return;
    }
    place->tallies[SYSCALLS_CALLS]++;
    if (failed)
        place->tallies[SYSCALLS_ERRORS]++;
}

static __always_inline __u32 number_of(const void *registers)
{
    if (bpf_core_field_exists(struct pt_regs___x86, orig_ax))
        return (__u32)((const struct pt_regs___x86 *)registers)->orig_ax;
    return (__u32)((const struct pt_regs___arm64 *)registers)->syscallno;
}

static __always_inline bool returns_twice_compat(__u32 number)
{
    return number == COMPAT_FORK || number == COMPAT_CLONE || number == COMPAT_VFORK ||
           number == COMPAT_CLONE3;
}

/* otherwise: as for keyed_cell_of(). */
static __noinline void note_time(__u32 slot, __u32 otherwise, __u32 subject, __u64 ns)
{
    struct keyed_cell *cell = keyed_cell_of(slot, otherwise, SYSCALLS_TIMED, subject);

    if (cell)
        keyed_note(cell, SYSCALLS_DURATION, (__u32)keyed_bucket(ns, SYSCALLS_FIRST_EXPONENT), ns);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, void *registers, long result)
{
    struct task_struct *task = bpf_get_current_task_btf();
    const __u32 number = number_of(registers), cpu = bpf_get_smp_processor_id();
    const bool failed = (unsigned long)result >= -(unsigned long)LARGEST_ERROR;
    const volatile struct switch_control *control = find_control();
    struct places *own = bpf_map_lookup_elem(&places, &cpu);
    __u32 subject = SYSCALLS_UNKNOWN, slot;
    __u64 took = 0;

    if (!control || !own)
        return 0;
    if (is_compat(task)) {
        if (result == 0 && returns_twice_compat(number))
            return 0;
        subject = SYSCALLS_COMPAT;
    } else if (number < SYSCALLS_NUMBERS) {
        if (result == 0 && returns_twice[number])
            return 0;
        subject = number;
        if (value_of(number))
            took = end_of_call(task, number);
    }
    slot = slot_of_task(task, cpu, control);
    count(own, slot, SWITCH_SLOT_REST, subject, failed);
    if (took)
        note_time(slot, SWITCH_SLOT_REST, subject, took);
    if (!control->watches)
        return 0;
    slot = slot_of_process((__u32)task->tgid);
    if (slot == SWITCH_SLOT_NONE)
        return 0;
    count(own, slot, SWITCH_SLOT_NONE, subject, failed);
    if (took)
        note_time(slot, SWITCH_SLOT_NONE, subject, took);
    return 0;
}

/* It is attached only while some call is timed. */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, void *registers, long id)
{
    const __u32 number = (__u32)id;
    const struct task_struct *task;

    if (!value_of(number))
        return 0;
    task = bpf_get_current_task_btf();
    if (!is_compat(task))
        begin_call((__u32)task->pid, number);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
