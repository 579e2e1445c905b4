/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What the kernel tells of an exit of a guest and of its entry. An exit has a stamp by its thread.
 */

#include <stdbool.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/kvm/counts.h"
#include "sys/bpf/kvm/layout.h"
#include "sys/bpf/stamps.bpf.h"

/* The loader sets it before loading. */
const volatile struct kvm_layout layout;

static __always_inline __u32 field_of(const void *record, __u32 offset)
{
    __u32 value = 0;

    (void)bpf_probe_read_kernel(&value, sizeof(value), record + offset);
    return value;
}

/* The subject of an exit, of the record of kvm_exit. */
static __always_inline __u64 subject_of(const void *record)
{
    const __u32 reason = field_of(record, layout.reason), second = field_of(record, layout.second);

    if (layout.is_arm64) /* the second is the class of a trap */
        return (__u64)KVM_ISA_ARM64 << 32 |
               (reason == KVM_ARM64_TRAP ? KVM_EXIT_TRAP | second : reason);
    return (__u64)second << 32 | (second == KVM_ISA_VMX ? reason & 0xffff : reason);
}

/* The number of the vCPU: of its structure, or what the tracepoint tells as it is. */
static __always_inline __u64 vcpu_of(__u64 argument)
{
    if (layout.vcpu == KVM_VCPU_UNTOLD)
        return KVM_VCPU_UNKNOWN;
    return layout.vcpu == KVM_VCPU_ARGUMENT ? (__u32)argument
                                            : field_of((const void *)argument, layout.vcpu);
}

/*
 * Whether the thread has left a guest before, and is back. The last exit of a vCPU stays there when
 * its thread is gone; a thread that gets the same number later has not made it.
 */
static __always_inline bool has_left(const struct task_struct *task, struct stamp *ret)
{
    return stamp_end((__u32)task->pid, ret) && ret->since >= task->start_time;
}
