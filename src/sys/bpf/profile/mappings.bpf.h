/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What processes have mapped. A process can hold the lock of its own mappings for as long as it
 * likes: its page faults wait for a file system that it serves itself. So on_list(), since Linux
 * 6.7, only tries to take the lock. The iterator of earlier kernels, which calls on_vma(), waits.
 */

#include <linux/bpf.h>
#include <linux/errno.h>
#include <stdbool.h>

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

static __always_inline void tell(struct seq_file *seq, struct task_struct *task,
                                 struct vm_area_struct *vma)
{
    struct profile_vma *record = &vma_record;
    struct file *file = vma->vm_file;
    long length = 0;

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
    (void)bpf_seq_write(seq, record, sizeof(*record));
}

/* Tells of each executable mapping of a process, or of all. */
SEC("iter/task_vma")
int on_vma(struct bpf_iter__task_vma *context)
{
    struct task_struct *task = context->task;
    struct vm_area_struct *vma = context->vma;

    if (task && vma && task->pid == task->tgid && vma->vm_flags & VM_EXEC)
        tell(context->meta->seq, task, vma);
    return 0;
}

struct bpf_iter_task_vma {
    __u64 opaque;
};

int bpf_iter_task_vma_new(struct bpf_iter_task_vma *iterator, struct task_struct *task,
                          __u64 address) __ksym __weak;
struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *iterator) __ksym __weak;
void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *iterator) __ksym __weak;
struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;
void bpf_task_release(struct task_struct *task) __ksym __weak;

struct profile_listing listing; /* there is one reader at a time */

/* Not variables of the function: the verifier would go through the loop for each of their values.
 */
__u32 n_told, n_seen;

/* Tells of mappings from listing.from on, as many as one reading has room for. */
static __always_inline void list(struct seq_file *seq, struct task_struct *task)
{
    struct bpf_iter_task_vma iterator;
    struct vm_area_struct *vma;

    n_told = n_seen = 0;
    listing.memory = (__u64)task->mm;
    listing.result = bpf_iter_task_vma_new(&iterator, task, listing.from);
    while ((vma = bpf_iter_task_vma_next(&iterator))) {
        if (n_told >= PROFILE_LISTING_TOLD_MOST || n_seen >= PROFILE_LISTING_SEEN_MOST) {
            listing.from = vma->vm_start;
            listing.result = PROFILE_LISTING_GOES_ON;
            break;
        }
        n_seen++;
        if (vma->vm_flags & VM_EXEC) {
            tell(seq, task, vma);
            n_told++;
        }
    }
    bpf_iter_task_vma_destroy(&iterator);
}

/*
 * Tells of the executable mappings of listing.pid. The iterator, over a single task, is only the
 * way to be called where a path may be asked for.
 */
SEC("iter/task")
int on_list(struct bpf_iter__task *context)
{
    struct task_struct *task;

    if (!context->task)
        return 0;
    listing.result = -ESRCH;
    task = bpf_task_from_pid((__s32)listing.pid);
    if (!task)
        return 0;
    list(context->meta->seq, task);
    bpf_task_release(task);
    return 0;
}

/* Tells which processes there are, by their numbers. */
SEC("iter/task")
int on_process(struct bpf_iter__task *context)
{
    const struct task_struct *task = context->task;
    __u32 pid;

    if (!task || task->pid != task->tgid || !task->mm)
        return 0;
    pid = (__u32)task->tgid;
    (void)bpf_seq_write(context->meta->seq, &pid, sizeof(pid));
    return 0;
}
