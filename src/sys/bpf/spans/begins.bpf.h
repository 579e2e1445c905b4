/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Begins that wait for their end, in a table of fixed size. A key has one of a few places; a begin
 * that finds none free takes that of the oldest. Two CPUs may take a place at the same instant, for
 * there is nothing to lock it with in such programs: what they have written is then of two begins,
 * and its seal does not fit, so that it counts as lost and nothing is told of it.
 */

#include "sys/bpf/keyed.bpf.h"
#include "sys/bpf/slot_control.bpf.h"
#include "sys/bpf/slots.bpf.h"
#include "sys/bpf/spans/counts.h"

/* What the loader sets before loading: the number of the span, and where records have its key. A
 * size of 0: the key is the thread. */
const volatile __u32 number = 0;
const volatile __u32 begin_offset = 0, begin_size = 0;
const volatile __u32 end_offset = 0, end_size = 0;

#define BEGIN_SETS_BITS 10
#define BEGIN_PLACES    4 /* of a set */

struct begin {
    __u64 key;
    __u64 ns;    /* when it was; 0: the place is free */
    __u64 owner; /* the cgroup that was running (find_owner()) */
    __u64 seal;
    __u32 process; /* the watched process that was running; 0: none */
    __u32 unused;
};

struct begins {
    struct begin places[BEGIN_PLACES];
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct begins);
    __uint(max_entries, 1 << BEGIN_SETS_BITS);
} begins SEC(".maps");

static __always_inline __u64 seal_of(const struct begin *begin)
{
    return (begin->key ^ begin->owner << 32 ^ begin->process) * 0x9e3779b97f4a7c15ull ^ begin->ns;
}

static __always_inline struct begins *begins_of(__u64 key)
{
    const __u32 set = (__u32)(key * 0x9e3779b97f4a7c15ull >> (64 - BEGIN_SETS_BITS));

    return bpf_map_lookup_elem(&begins, &set);
}

/* The place for a begin of the key: that of the last one if it still waits, else the oldest. */
static __always_inline struct begin *place_for(struct begins *all, __u64 key)
{
    struct begin *found = &all->places[0];

#pragma unroll
    for (__u32 i = 0; i < BEGIN_PLACES; i++) {
        struct begin *place = &all->places[i];

        if (place->ns && place->key == key)
            return place;
        if (place->ns < found->ns)
            found = place;
    }
    return found;
}

/* The running task begins a span of this key. */
static __always_inline void remember_begin(__u64 key)
{
    struct begins *all = begins_of(key);
    struct task_struct *task = bpf_get_current_task_btf();
    struct slot_owner owner = {0};
    struct begin *place;

    if (!all)
        return;
    place = place_for(all, key);
    if (place->ns)
        note_loss();
    place->key = key;
    find_owner(cgroup_of(task), &owner);
    place->owner = owner.cgroup;
    place->process = slot_of_watched((__u32)task->tgid) != SWITCH_SLOT_NONE ? (__u32)task->tgid : 0;
    place->ns = bpf_ktime_get_ns();
    place->seal = seal_of(place);
}

/* Gives the begin of this key, which is forgotten. False: nothing is remembered of it. */
static __always_inline bool take_begin(__u64 key, struct begin *ret_begin)
{
    struct begins *all = begins_of(key);

    if (!all)
        return false;
#pragma unroll
    for (__u32 i = 0; i < BEGIN_PLACES; i++) {
        struct begin *place = &all->places[i];

        if (!place->ns || place->key != key)
            continue;
        *ret_begin = *place;
        place->ns = 0;
        if (ret_begin->seal == seal_of(ret_begin))
            return true;
        note_loss();
        return false;
    }
    return false;
}
