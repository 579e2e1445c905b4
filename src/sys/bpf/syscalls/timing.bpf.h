/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * When the calls that are timed began, by thread, in a table of fixed size. The number of a thread
 * has a set of a few places. A thread takes one with the first of its calls that might be timed,
 * and keeps it for the next ones; of a full set the place is taken whose thread needs it least. One
 * that is killed in a call returns from it before it ends.
 *
 * A few calls are left behind: a thread that executes another program gets the number of its
 * process in that call, and a debugger may change which call it is. The next thread of that number
 * may return from a call that has not come by here, since a filter of seccomp has refused it. So
 * what began before the thread was born is none of its.
 *
 * A thread counts in its place how many calls it has made, to take one in so many: so each thread,
 * and each loop of few calls, is seen evenly. Who takes a place goes on with its count; else
 * threads that live for a few calls would never be seen.
 */

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/keyed.bpf.h"
#include "sys/bpf/syscalls/counts.h"

/* Whether a task is in a call of 32 bits. */
struct thread_info___x86 {
    __u32 status;
} KERNEL_TYPE;

struct thread_info___arm64 {
    unsigned long flags;
} KERNEL_TYPE;

#define TS_COMPAT (1 << 1)  /* x86 */
#define TIF_32BIT (1 << 22) /* arm64 */

#define CALLING_PLACES 4 /* of a set */

/*
 * User space changes it while this runs. A call that is taken out and put in again has another
 * value in `calls` then, so that nothing is told of one that has begun before.
 */
struct syscalls_timing timing = {0};

/* User space's own: the value that it gave last. */
__u8 last_value = 0;

/* The loader sets it before loading: there are 2^this sets. */
const volatile __u32 calling_bits = 1;

struct calling {
    __u32 thread;  /* whose place it is; 0: it is free */
    __u32 skipped; /* how many calls were not timed since the last one that was */
    __u64 since;   /* ns: when the call began that is being timed, or the last one that was */
    __u32 number;  /* of the call that is being timed; CALLING_NONE: none is */
    __u32 value;   /* timing.calls[number], as it was then */
};

#define CALLING_NONE 0xffffffff

struct callings {
    struct calling places[CALLING_PLACES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct callings);
    __uint(max_entries, 1);
} callings SEC(".maps");

static __always_inline bool is_compat(const struct task_struct *task)
{
    const void *info = &task->thread_info;

    if (bpf_core_field_exists(struct thread_info___x86, status))
        return ((const struct thread_info___x86 *)info)->status & TS_COMPAT;
    return ((const struct thread_info___arm64 *)info)->flags & TIF_32BIT;
}

/* Not 0: the call is timed. */
static __always_inline __u8 value_of(__u32 number)
{
    barrier_var(number); /* else the compiler checks the bound of a copy */
    return number < SYSCALLS_NUMBERS ? timing.calls[number] : 0;
}

/* Threads are numbered one after the other, which spreads them well. */
static __always_inline struct callings *callings_of(__u32 thread)
{
    const __u32 set = thread & ((1U << calling_bits) - 1);

    return bpf_map_lookup_elem(&callings, &set);
}

static __always_inline struct calling *find_calling(struct callings *all, __u32 thread)
{
#pragma unroll
    for (__u32 i = 0; i < CALLING_PLACES; i++)
        if (all->places[i].thread == thread)
            return &all->places[i];
    return NULL;
}

/* Who has less needs the place less: those in no call, and of them the one longest without any. */
static __always_inline __u64 need_of(const struct calling *place)
{
    return place->since | (place->number == CALLING_NONE ? 0 : 1ULL << 63);
}

/*
 * Gives the thread a place: a free one, else another one's, whose call is lost if one was being
 * timed. NULL: another one was quicker, and the call is lost.
 */
static __noinline struct calling *claim(struct callings *all, __u32 thread)
{
    struct calling *found = &all->places[0];
    __u32 owner;

#pragma unroll
    for (__u32 i = 0; i < CALLING_PLACES; i++) {
        struct calling *place = &all->places[i];

        if (!place->thread && __sync_val_compare_and_swap(&place->thread, 0, thread) == 0)
            return place;
        if (need_of(place) < need_of(found))
            found = place;
    }
    owner = found->thread;
    if (found->number != CALLING_NONE)
        note_loss();
    if (__sync_val_compare_and_swap(&found->thread, owner, thread) == owner)
        return found;
    note_loss();
    return NULL;
}

/* A call begins that may be timed. */
static __always_inline void begin_call(__u32 thread, __u32 number)
{
    struct callings *all = callings_of(thread);
    struct calling *own;

    if (!all)
        return;
    own = find_calling(all, thread);
    if (!own)
        own = claim(all, thread);
    if (!own)
        return;
    own->number = CALLING_NONE;
    own->skipped++;
    if (own->skipped < timing.one_in)
        return;
    own->skipped = 0;
    own->value = value_of(number);
    own->number = number;
    own->since = bpf_ktime_get_ns();
}

/* The call of a task ends. How long it took (ns); 0: it was not timed. */
static __always_inline __u64 end_of_call(const struct task_struct *task, __u32 number)
{
    const __u32 thread = (__u32)task->pid;
    struct callings *all = callings_of(thread);
    struct calling *own = all ? find_calling(all, thread) : NULL;
    __u32 begun;
    __u64 now;

    if (!own || own->number == CALLING_NONE)
        return 0;
    begun = own->number;
    own->number = CALLING_NONE;
    now = bpf_ktime_get_ns();
    if (begun == number && own->value == value_of(number) && own->since >= task->start_time &&
        now > own->since)
        return now - own->since;
    note_loss();
    return 0;
}
