/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Samples who runs where. A perf event of each CPU calls on_sample() some tens of times a second,
 * and those of a recording, which somebody has asked for, call on_record()
 * or, those of software, on_record_software(). It walks up the stack of the kernel and that of the
 * user (walk.bpf.h), and sends both through a ring as addresses in files. User space makes
 * functions of them.
 *
 * Who is who. A sample belongs to the nearest cgroup that has a number, and to a group of processes
 * if the process has the number of one. User space tells these numbers.
 *
 * What a process has mapped. User space asks (mappings.bpf.h), and enters the process with its
 * mappings. A process that it starts has the same ones until it executes a program of its own;
 * its entry is made here, before its first instruction.
 */
#include "sys/bpf/profile/mappings.bpf.h"
#include "sys/bpf/profile/thinning.bpf.h"
#include "sys/bpf/profile/walk.bpf.h"
#include "sys/bpf/slots.bpf.h"

#include <bpf/bpf_tracing.h>

#define PF_KTHREAD 0x00200000

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 65536);
} ring SEC(".maps");

__u64 n_samples, n_lost; /* taken, and of those how many found no room in the ring */
__u64 n_recorded_lost;   /* of a recording; these are not among those above */
__u64 n_ns;              /* what all of them took this program */

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, struct profile_target_numbers);
    __type(value, struct profile_loss);
    __uint(max_entries, 1024);
} lost SEC(".maps"); /* how many of whom; those that find no room here are in n_lost only */

static __always_inline void count_lost(const struct profile_sample *sample)
{
    const struct profile_target_numbers whose = {.cgroup = sample->cgroup,
                                                 .process = sample->process};
    const struct profile_loss none = {.first_ns = sample->time_ns};
    struct profile_loss *loss;

    (void)bpf_map_update_elem(&lost, &whose, &none, BPF_NOEXIST);
    loss = bpf_map_lookup_elem(&lost, &whose);
    if (loss) {
        __sync_fetch_and_add(&loss->n, 1);
        loss->last_ns = sample->time_ns;
    }
    __sync_fetch_and_add(&n_lost, 1);
}

/* The kernel has its stack where the interrupt came; what was in user space has none. */
static __always_inline void walk_kernel_stack(void *context, struct profile_scratch *walk)
{
    const long bytes =
        bpf_get_stack(context, walk->frames, PROFILE_KERNEL_FRAMES_MOST * sizeof(__u64), 0);

    walk->sample.n_kernel = bytes > 0 ? (__u16)((__u64)bytes / sizeof(__u64)) : 0;
}

static __always_inline void walk_user_stack(struct profile_scratch *walk, struct task_struct *task)
{
    const __u32 zero = 0, tgid = (__u32)task->tgid;
    const struct profile_process *process;

    walk->outcome = PROFILE_COMPLETE;
    if (task->flags & PF_KTHREAD || !task->mm)
        return;
    begin_walk(walk, task);
    process = bpf_map_lookup_elem(&processes, &tgid);
    if (!process || process->memory != (__u64)task->mm) {
        note_frame(walk, PROFILE_FRAME_ADDRESS | walk->pc);
        walk->outcome = PROFILE_YOUNG;
        return;
    }
    walk->first = process->first;
    walk->n_mappings = process->n;
    walk->outcome = PROFILE_TRUNCATED; /* unless a step is the last */
    for (int i = 0; i < PROFILE_USER_FRAMES_MOST; i++)
        if (step(zero))
            break;
    drop_unproven(walk);
}

static __always_inline void describe(struct profile_sample *sample, struct task_struct *task,
                                     __u64 period)
{
    const __u32 process = slot_of_process((__u32)task->tgid);

    sample->time_ns = bpf_ktime_get_ns();
    sample->memory = (__u64)task->mm;
    sample->period = period;
    sample->cpu = bpf_get_smp_processor_id();
    sample->pid = (__u32)task->tgid;
    sample->tid = (__u32)task->pid;
    sample->cgroup = nearest_slot(cgroup_of(task));
    sample->process = process == SWITCH_SLOT_NONE ? 0 : process;
    sample->is_kernel_thread = (task->flags & PF_KTHREAD) != 0;
    sample->n_user = sample->n_cut = 0;
    sample->file = 0;
    (void)bpf_get_current_comm(sample->comm, sizeof(sample->comm));
}

/* Walks both stacks, and sends what it finds. False: there was no room for it. */
static __always_inline bool sample(void *context, struct profile_scratch *walk,
                                   struct task_struct *task)
{
    bool has_room;
    __u32 n;

    walk_kernel_stack(context, walk);
    walk_user_stack(walk, task);
    walk->sample.outcome = (__u8)walk->outcome;
    n = walk->sample.n_kernel + walk->sample.n_user;
    if (n > PROFILE_FRAMES_MOST)
        n = PROFILE_FRAMES_MOST;
    has_room = bpf_ringbuf_output(&ring, &walk->sample, sizeof(walk->sample) + n * sizeof(__u64),
                                  BPF_RB_NO_WAKEUP) >= 0; /* the reader looks by itself */
    __sync_fetch_and_add(&n_ns, bpf_ktime_get_ns() - walk->sample.time_ns);
    return has_room;
}

SEC("perf_event")
int on_sample(void *context)
{
    const __u32 zero = 0;
    struct profile_scratch *walk = bpf_map_lookup_elem(&scratch, &zero);
    struct task_struct *task = bpf_get_current_task_btf();

    if (!walk || task->pid == 0)
        return 0; /* the idle task */
    describe(&walk->sample, task, 0);
    __sync_fetch_and_add(&n_samples, 1);
    if (!sample(context, walk, task))
        count_lost(&walk->sample);
    return 0;
}

/* What the kernel gives to a program of an event; where its parts are, differs by architecture. */
struct bpf_perf_event_data {
    __u64 sample_period;
} __attribute__((preserve_access_index));

/* The kernel calls no program of an event while it is in another one: so the memory is ours. */
static __always_inline void record(void *context, struct task_struct *task, __u64 events)
{
    const __u32 zero = 0;
    struct profile_scratch *walk = bpf_map_lookup_elem(&scratch, &zero);

    if (!walk)
        return;
    describe(&walk->sample, task, events);
    if (!sample(context, walk, task))
        __sync_fetch_and_add(&n_recorded_lost, 1);
}

/* An event of a PMU, or a clock. */
SEC("perf_event")
int on_record(struct bpf_perf_event_data *context)
{
    record(context, bpf_get_current_task_btf(), context->sample_period);
    return 0;
}

/* One of software, but for clocks. */
SEC("perf_event")
int on_record_software(struct bpf_perf_event_data *context)
{
    struct task_struct *task = bpf_get_current_task_btf();
    const __u64 events = thin_out(context->sample_period, (__u32)task->pid);

    if (events)
        record(context, task, events);
    return 0;
}

/* A process starts another one, which has what it has mapped. Also: it is watched with it. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
    __u32 from = (__u32)parent->tgid, to = (__u32)child->tgid;
    const struct profile_process *known;
    const struct switch_watched *group;

    if (from == to)
        return 0; /* a thread */
    known = bpf_map_lookup_elem(&processes, &from);
    if (known && known->memory == (__u64)parent->mm) {
        struct profile_process entry = *known;

        entry.memory = (__u64)child->mm;
        (void)bpf_map_update_elem(&processes, &to, &entry, BPF_ANY);
    }
    group = bpf_map_lookup_elem(&watched, &from);
    if (group && group->children) {
        struct switch_watched entry = *group;

        (void)bpf_map_update_elem(&watched, &to, &entry, BPF_ANY);
    }
    return 0;
}

/* A process executes another program. Memory that it has given back may come again some day. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;

    (void)bpf_map_delete_elem(&processes, &tgid);
    return 0;
}

/* The last thread of a process ends, before its number can be given to another process. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
    __u32 tgid = (__u32)task->tgid;

    if (task->signal->live.counter == 0) {
        (void)bpf_map_delete_elem(&processes, &tgid);
        (void)bpf_map_delete_elem(&watched, &tgid);
    }
    return 0;
}

__u64 asked_address;
char symbol[256];

/* Tells the function of the kernel that has an address. It is never attached. */
SEC("raw_tp/sched_process_exec")
int on_ask(void *unused)
{
    static const char format[] = "%pS";
    __u64 address = asked_address;

    return (int)bpf_snprintf(symbol, sizeof(symbol), format, &address, sizeof(address));
}

char LICENSE[] SEC("license") = "GPL";
