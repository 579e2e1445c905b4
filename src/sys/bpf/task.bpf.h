/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What has changed its place in a task from kernel to kernel. */

#include <linux/types.h>

#include <bpf/bpf_core_read.h>

#include "sys/bpf/kernel_types.bpf.h"

/* The state in which the task is, as in the kernel's sched.h. */
static __always_inline __u32 state_of(const struct task_struct *task)
{
    if (bpf_core_field_exists(struct task_struct, __state))
        return task->__state;
    return (__u32)((const struct task_struct___earlier *)task)->state;
}

/* The CPU on which it runs, or ran last. */
static __always_inline __u32 cpu_of(const struct task_struct *task)
{
    if (bpf_core_field_exists(struct thread_info, cpu))
        return task->thread_info.cpu;
    return ((const struct task_struct___earlier *)task)->cpu;
}
