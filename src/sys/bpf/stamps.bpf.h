/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * When something began that ends later, often on another CPU: a table of fixed size, in which each
 * key has one of STAMP_PLACES places. Nothing is allocated. The caller sees to it that a key begins
 * and ends on one CPU at a time.
 *
 * What never ends would keep its place for ever (the last exit of a vCPU, whose thread is gone). So
 * one that finds all its places taken gets that of the oldest, which is then lost.
 *
 * A stamp is taken and given up by exchanges on its key, which the JIT of arm64 has since
 * Linux 5.18.
 */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "sys/bpf/losses.bpf.h"

#define STAMP_PLACES 4

/* The loader sets it before loading: the table has 2^this places. */
const volatile __u32 stamp_bits = 1;

struct stamp {
    __u64 key;     /* 0: the place is free */
    __u64 since;   /* ns */
    __u64 subject; /* the caller's, as is */
};

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __type(key, __u32);
    __type(value, struct stamp);
    __uint(max_entries, 1);
} stamps SEC(".maps");

static __always_inline struct stamp *stamp_at(__u64 key, __u32 i)
{
    static const __u64 factors[STAMP_PLACES] = {0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full,
                                                0xd6e8feb86659fd93ull, 0xff51afd7ed558ccdull};
    const __u32 place = (__u32)(key * factors[i] >> (64 - stamp_bits));

    return bpf_map_lookup_elem(&stamps, &place);
}

/* The stamp of a key that has begun; NULL: there is none. */
static __always_inline struct stamp *stamp_find(__u64 key)
{
#pragma unroll
    for (__u32 i = 0; i < STAMP_PLACES; i++) {
        struct stamp *stamp = stamp_at(key, i);

        if (stamp && stamp->key == key)
            return stamp;
    }
    return NULL;
}

/* A free place of a key, which it gets; NULL: all are taken. */
static __always_inline struct stamp *stamp_claim(__u64 key)
{
#pragma unroll
    for (__u32 i = 0; i < STAMP_PLACES; i++) {
        struct stamp *stamp = stamp_at(key, i);

        if (stamp && !stamp->key && __sync_val_compare_and_swap(&stamp->key, 0, key) == 0)
            return stamp;
    }
    return NULL;
}

/* The place of whoever began first of those that have the places of this key; NULL: he just ended.
 */
static __always_inline struct stamp *stamp_take_oldest(__u64 key)
{
    struct stamp *oldest = stamp_at(key, 0);
    __u64 owner;

#pragma unroll
    for (__u32 i = 1; i < STAMP_PLACES; i++) {
        struct stamp *stamp = stamp_at(key, i);

        if (stamp && oldest && stamp->since < oldest->since)
            oldest = stamp;
    }
    note_loss(); /* his, or ours */
    if (!oldest)
        return NULL;
    owner = oldest->key;
    return __sync_val_compare_and_swap(&oldest->key, owner, key) == owner ? oldest : NULL;
}

/* It begins now. What the same key began before is forgotten. */
static __always_inline void stamp_begin(__u64 key, __u64 subject)
{
    struct stamp *stamp = stamp_find(key);

    if (!stamp)
        stamp = stamp_claim(key);
    if (!stamp)
        stamp = stamp_take_oldest(key);
    if (!stamp)
        return;
    stamp->subject = subject;
    stamp->since = bpf_ktime_get_ns();
}

/*
 * It ends. Whether it had begun: then *ret has its stamp. It is read before the place is given up,
 * which does not succeed if another one has taken it meanwhile.
 */
static __always_inline bool stamp_end(__u64 key, struct stamp *ret)
{
    struct stamp *stamp = stamp_find(key);

    if (!stamp)
        return false;
    ret->since = *(volatile __u64 *)&stamp->since;
    ret->subject = *(volatile __u64 *)&stamp->subject;
    return __sync_val_compare_and_swap(&stamp->key, key, 0) == key;
}
