/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Why guests of KVM leave the processor, and how long it takes until they are back. Both happen on
 * the thread of the vCPU, so that its cgroup and process are those of the guest. An exit is only
 * remembered; it is counted when the guest is back, as by `perf kvm stat`. So all that has to be
 * looked up is looked up once for both.
 *
 * On most machines KVM is a module, and only who has CAP_SYS_ADMIN may ask for a module's types to
 * load a program by them. So none is asked for here. The entry is a raw tracepoint, which is found
 * by its name. The exit is one of perf, since only its record has the reason in all versions: where
 * that stands in it, and the number of a vCPU in its structure, the loader finds in the types that
 * sysfs shows.
 */
#include "sys/bpf/keyed.bpf.h"
#include "sys/bpf/kvm/exit.bpf.h"
#include "sys/bpf/slot_control.bpf.h"

/* What is counted at an entry, for each of those whose guest it is. */
struct turn {
    bool has_left; /* before; else the guest enters for the first time */
    __u64 vcpu;    /* subject of the entry */
    __u64 exit;    /* subject of the exit */
    __u64 took_ns; /* from the exit to the entry */
    __u32 bucket;  /* of that */
};

static __always_inline void count_exit(struct keyed_cell *cell, const struct turn *turn)
{
    if (!cell)
        return;
    keyed_add(cell, KVM_TALLY, 1);
    keyed_note(cell, 0, turn->bucket, turn->took_ns);
}

/* otherwise: as for keyed_cell_of(). */
static __noinline void count(__u32 slot, __u32 otherwise, const struct turn *turn)
{
    struct keyed_cell *cell = keyed_cell_of(slot, otherwise, KVM_ENTRY, turn->vcpu);

    if (cell)
        keyed_add(cell, KVM_TALLY, 1);
    if (turn->has_left)
        count_exit(keyed_cell_of(slot, otherwise, KVM_EXIT, turn->exit), turn);
}

/* It returns 1: after 0 the kernel would hide the exit from all others who count it by perf. */
SEC("tp/kvm/kvm_exit")
int on_exit(void *record)
{
    stamp_begin((__u32)bpf_get_current_pid_tgid(), subject_of(record));
    return 1;
}

SEC("raw_tp/kvm_entry")
int on_entry(struct bpf_raw_tracepoint_args *record)
{
    struct task_struct *task = bpf_get_current_task_btf();
    const __u32 process = slot_of_watched((__u32)task->tgid);
    struct stamp stamp = {0};
    struct turn turn = {.has_left = has_left(task, &stamp), .vcpu = vcpu_of(record->args[0])};

    if (turn.has_left) {
        turn.exit = stamp.subject;
        turn.took_ns = bpf_ktime_get_ns() - stamp.since;
        turn.bucket = (__u32)keyed_bucket(turn.took_ns, KVM_FIRST_EXPONENT);
    }
    count(nearest_slot(cgroup_of(task)), SWITCH_SLOT_REST, &turn);
    if (process != SWITCH_SLOT_NONE)
        count(process, SWITCH_SLOT_NONE, &turn);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
