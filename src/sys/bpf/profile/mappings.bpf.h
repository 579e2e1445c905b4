/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What processes have mapped, and whether somebody holds the lock of that. A process can hold the
 * lock of its own mappings for as long as it likes: its page faults and unmappings wait for a file
 * system that it serves itself.
 *
 * The kernel has functions for BPF that only try to take the lock: bpf_find_vma(), and
 * bpf_iter_task_vma_new() since Linux 6.7. They are not used. Until 2026 they took task->mm without
 * a reference, so that a process that ended in that moment could crash the machine; since then the
 * latter leaves out, without a word, what is just being changed (seen with Linux 6.18.44: of 400
 * listings of a process that forked, 226 had less than all).
 */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/profile/layout.h"

#define VM_EXEC 0x00000004

struct path {
} KERNEL_TYPE;

struct user_namespace {
    int level; /* 0: the machine's */
} KERNEL_TYPE;

struct super_block {
    __u32 s_dev;
    unsigned long s_magic;
    struct user_namespace *s_user_ns; /* of who has mounted it */
} KERNEL_TYPE;

struct inode {
    struct super_block *i_sb;
    unsigned long i_ino;
    __u32 i_generation;
} KERNEL_TYPE;

struct file {
    struct path f_path;
    struct inode *f_inode;
} KERNEL_TYPE;

struct vm_area_struct {
    unsigned long vm_start, vm_end;
    unsigned long vm_flags;
    unsigned long vm_pgoff;
    struct file *vm_file;
} KERNEL_TYPE;

typedef struct {
    void *vdso;
} KERNEL_TYPE mm_context_t;

struct mm_struct {
    mm_context_t context;
} KERNEL_TYPE;

struct seq_file;

struct bpf_iter_meta {
    struct seq_file *seq;
} KERNEL_TYPE;

struct bpf_iter__task {
    struct bpf_iter_meta *meta;
    struct task_struct *task; /* NULL: there is no other one */
} KERNEL_TYPE;

struct bpf_iter__task_vma {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
    struct vm_area_struct *vma;
} KERNEL_TYPE;

const volatile __u32 page_shift = 12;

struct profile_vma vma_record; /* there is one reader at a time */

#define FUSE_MAGIC 0x65735546

/*
 * A file system that a process serves (FUSE) answers when that process likes, and one that lies
 * over it (overlayfs) with it. Everybody may mount either in a user namespace of his own.
 */
static __always_inline bool may_stall(const struct super_block *mounted)
{
    return mounted->s_magic == FUSE_MAGIC || mounted->s_user_ns->level > 0;
}

/* Tells of each executable mapping of a process, or of all. */
SEC("iter/task_vma")
int on_vma(struct bpf_iter__task_vma *context)
{
    struct task_struct *task = context->task;
    struct vm_area_struct *vma = context->vma;
    struct profile_vma *record = &vma_record;
    struct file *file;
    long length = 0;

    if (!task || !vma || task->pid != task->tgid || !(vma->vm_flags & VM_EXEC))
        return 0;
    file = vma->vm_file;
    record->memory = (__u64)task->mm;
    record->start = vma->vm_start;
    record->end = vma->vm_end;
    record->offset = (__u64)vma->vm_pgoff << page_shift;
    record->pid = (__u32)task->tgid;
    record->inode = record->device = record->generation = record->may_stall = 0;
    record->kind = PROFILE_VMA_ANONYMOUS;
    if (file) {
        record->kind = PROFILE_VMA_FILE;
        record->inode = file->f_inode->i_ino;
        record->device = file->f_inode->i_sb->s_dev;
        record->generation = file->f_inode->i_generation;
        record->may_stall = may_stall(file->f_inode->i_sb);
        length = bpf_d_path(&file->f_path, record->path, sizeof(record->path));
    } else if (task->mm && (__u64)task->mm->context.vdso == record->start) {
        record->kind = PROFILE_VMA_VDSO;
    }
    record->path_length = length > 0 ? (__u32)length - 1 : 0;
    if (record->path_length == 0)
        record->path[0] = '\0';
    (void)bpf_seq_write(context->meta->seq, record, sizeof(*record));
    return 0;
}

/* A lock that readers or a writer hold. Kernels with PREEMPT_RT have another one. */
struct rw_semaphore {
    struct {
        long counter; /* bit 0: a writer holds it; 1: somebody waits; 2: the next one is chosen */
    } count;
} KERNEL_TYPE;

struct mm_struct___locked {
    struct rw_semaphore mmap_lock;
} KERNEL_TYPE;

#define RWSEM_TAKEN 7

bool is_locked; /* what on_lock() has found; there is one reader at a time */

/* Finds out whether a reader of a process's mappings would have to wait now. */
SEC("iter/task")
int on_lock(struct bpf_iter__task *context)
{
    const struct task_struct *task = context->task;
    const struct mm_struct___locked *memory;

    if (!task)
        return 0;
    memory = (const void *)task->mm;
    is_locked = memory && bpf_core_field_exists(memory->mmap_lock.count) &&
                memory->mmap_lock.count.counter & RWSEM_TAKEN;
    return 0;
}
