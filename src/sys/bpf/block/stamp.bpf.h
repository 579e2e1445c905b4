/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What is remembered of requests on their way: whose they are, and when they were given to the
 * device. The kernel's own stamp of that (io_start_time_ns) is set only where somebody else wants
 * it.
 *
 * A request has one of a few places, by its address. The kernel makes the requests of a queue once,
 * so that the addresses come again and find the places that they had: nothing is ever removed. The
 * first time, a request takes a place that is free, or else the one that was used longest ago.
 * Nobody but its CPU changes a request's place, unless two take the same one at the same instant;
 * then one of the two finds itself forgotten.
 */

#include "sys/bpf/block/request.bpf.h"
#include "sys/bpf/keyed.bpf.h"
#include "sys/bpf/slot_control.bpf.h"

#define STAMP_PLACES 4

struct stamp {
    __u64 request;   /* which one: a number instead of its address; 0: the place is free */
    __u64 start_ns;  /* its start_time_ns, which tells apart two requests of one address */
    __u64 begun_ns;  /* the same if it is true; 0: it is not known */
    __u64 issued_ns; /* when it was given to the device; 0: not yet */
    __u64 cgroup;    /* the id of the cgroup that it is charged to; 0: to none */
    struct slot_owner owner;
    __u32 generation; /* that of the slots when the owner was looked up */
    __u32 process;    /* the number of the process; 0: none */
    __u32 is_on_way;  /* it has not been completed */
};

struct stamps {
    struct stamp places[STAMP_PLACES];
};

/* The loader sets it before loading: there are 2^this times STAMP_PLACES places. */
const volatile __u32 stamp_bits = 0;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct stamps);
    __uint(max_entries, 1);
} stamps SEC(".maps");

/*
 * A number that no other request has at the same time. The verifier lets us calculate with a
 * pointer only after another one was subtracted from it; that one never changes.
 */
static __always_inline __u64 number_of(const struct request *request)
{
    __u64 number = (__u64)request - (__u64)&n_lost;

    barrier_var(number);
    return number;
}

/* The places that a request may have. */
static __always_inline struct stamps *stamps_of(__u64 number)
{
    const __u32 mixed = (__u32)(number * 0x9e3779b97f4a7c15ull >> 32);
    const __u32 key = (mixed >> 1) >> (31 - stamp_bits);

    return bpf_map_lookup_elem(&stamps, &key);
}

/* Where a request is remembered; NULL: it is not. */
static __always_inline struct stamp *find_stamp(__u64 number)
{
    struct stamps *all = stamps_of(number);

    if (!all)
        return NULL;
#pragma unroll
    for (__u32 i = 0; i < STAMP_PLACES; i++)
        if (all->places[i].request == number)
            return &all->places[i];
    return NULL;
}

/* A place for a request that has none: one that is used by none on its way, or the oldest. */
static __always_inline struct stamp *take_stamp(__u64 number)
{
    struct stamps *all = stamps_of(number);
    __u64 age, oldest = ~0ull;
    struct stamp *found;

    if (!all)
        return NULL;
    found = &all->places[0];
#pragma unroll
    for (__u32 i = 0; i < STAMP_PLACES; i++) {
        age = all->places[i].is_on_way ? all->places[i].issued_ns + 1 : 0;
        if (age < oldest) {
            oldest = age;
            found = &all->places[i];
        }
    }
    found->request = number;
    found->is_on_way = 0;
    return found;
}

/* Whether the place is that of this very request, and not of an earlier one of its address. */
static __always_inline bool is_same(const struct stamp *stamp, const struct request *request)
{
    return stamp->is_on_way && stamp->start_ns == request->start_time_ns;
}

/*
 * Finds the slot of the cgroup, unless it was the same that had the last request of this place:
 * most often it was.
 */
static __always_inline void find_slot(struct stamp *stamp, struct cgroup *cgroup)
{
    const __u64 id = cgroup ? cgroup->kn->id : 0;
    const __u32 generation = slots_generation();
    struct slot_owner owner = {.slot = SWITCH_SLOT_REST};

    if (stamp->cgroup == id && stamp->generation == generation)
        return;
    if (cgroup)
        find_owner(cgroup, &owner);
    stamp->owner = owner;
    stamp->cgroup = id;
    stamp->generation = generation;
}

/* Notes whose a request is that the running task has put into the queue. */
static __always_inline void begin_stamp(struct stamp *stamp, const struct request *request)
{
    struct task_struct *task = bpf_get_current_task_btf();
    struct cgroup *cgroup = charged_cgroup(request, is_v1);
    const bool is_kernel = task->flags & PF_KTHREAD;

    if (!cgroup && !is_kernel)
        cgroup = cgroup_of(task);
    find_slot(stamp, cgroup);
    if (stamp->is_on_way && stamp->issued_ns)
        note_loss(); /* the end of the one before, which had this address, was not told */
    stamp->start_ns = request->start_time_ns;
    stamp->begun_ns = has_start(request) ? request->start_time_ns : 0;
    stamp->issued_ns = 0;
    stamp->process = is_kernel ? 0 : (__u32)task->tgid;
    stamp->is_on_way = 1;
}

/*
 * The place of a request that is on its way to the device, with whose it is. Who is first to put it
 * into the queue has caused it: later it may be a thread of the kernel, or another task that gives
 * what is in the queue to the device.
 */
static __always_inline struct stamp *stamp_of(const struct request *request)
{
    const __u64 number = number_of(request);
    struct stamp *stamp = find_stamp(number);

    if (!stamp)
        stamp = take_stamp(number);
    if (stamp && !is_same(stamp, request))
        begin_stamp(stamp, request);
    return stamp;
}

/* The slot of the cgroup that it is charged to, as it is now. */
static __always_inline __u32 slot_of_stamp(const struct stamp *stamp)
{
    return stamp->generation == slots_generation() ? stamp->owner.slot
                                                   : slot_of_id(stamp->owner.cgroup);
}
