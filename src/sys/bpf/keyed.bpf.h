/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * The table in which a program counts by key (sys/bpf/keyed.h). All CPUs add to the same cells, by
 * atomic additions whose result is not asked for: the JIT of arm64 has no others before Linux 5.18.
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "sys/bpf/exponent.h"
#include "sys/bpf/keyed.h"
#include "sys/bpf/losses.bpf.h"
#include "sys/bpf/switch/layout.h"

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, struct keyed_key);
    __type(value, __u32);
    __uint(max_entries, 1);
} keyed SEC(".maps"); /* the number of the key's cell */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct keyed_cell);
    __uint(max_entries, 1);
} keyed_cells SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_STACK);
    __type(value, __u32);
    __uint(max_entries, 1);
} keyed_free SEC(".maps"); /* numbers of cells that no key has */

/*
 * Gives the key a cell, unless another CPU has just done so. It may also be that no cell is left.
 * The cell has its key before the key has the cell, so that whoever counts in it finds it there.
 */
static __noinline void keyed_make(const struct keyed_key *key)
{
    struct keyed_cell *cell;
    __u32 number;

    if (bpf_map_pop_elem(&keyed_free, &number))
        return;
    cell = bpf_map_lookup_elem(&keyed_cells, &number);
    if (!cell)
        return;
    cell->owner = key->slot + 1;
    cell->detail = key->detail;
    cell->subject = key->subject;
    if (bpf_map_update_elem(&keyed, key, &number, BPF_NOEXIST))
        (void)bpf_map_push_elem(&keyed_free, &number, 0);
}

/* The cell of a key, which is made if there is none yet; NULL: the table is full. */
static __always_inline struct keyed_cell *keyed_find(const struct keyed_key *key)
{
    const __u32 *number = bpf_map_lookup_elem(&keyed, key);

    if (!number) {
        keyed_make(key);
        number = bpf_map_lookup_elem(&keyed, key);
    }
    return number ? bpf_map_lookup_elem(&keyed_cells, number) : NULL;
}

/*
 * The cell in which is counted what has this key. If the table is full and has none, which is noted
 * as a loss, it is that of another slot: `otherwise`. For a cgroup that is SWITCH_SLOT_REST, so
 * that the machine has it. For a process it is SWITCH_SLOT_NONE: its cgroup has it anyway, and the
 * machine would have it twice. NULL: there is none.
 */
static __noinline struct keyed_cell *keyed_cell_of(__u32 slot, __u32 otherwise, __u32 detail,
                                                   __u64 subject)
{
    struct keyed_key key = {.slot = slot, .detail = detail, .subject = subject};
    struct keyed_cell *cell = keyed_find(&key);

    if (cell)
        return cell;
    note_loss();
    if (otherwise == SWITCH_SLOT_NONE)
        return NULL;
    key.slot = otherwise;
    return keyed_find(&key);
}

/*
 * The bucket of a duration, where the first one ends at 2^first s. It is not static, so that the
 * verifier checks it once and does not walk through all that follows for each value.
 */
__noinline int keyed_bucket(__u64 ns, int first)
{
    const __s32 bucket = (__s32)exponent_of(ns) - (first + 30);

    return bucket < 0 ? 0 : bucket;
}

/* Adds to a tally of a cell. Which tally is known when this is compiled. */
static __always_inline void keyed_add(struct keyed_cell *cell, __u32 tally, __u64 n)
{
    __sync_fetch_and_add(&cell->counts.tallies[tally], n);
}

/*
 * Adds a duration to a distribution of a cell, given its bucket: who adds it to several cells asks
 * for that once. Which distribution is known when this is compiled.
 */
static __always_inline void keyed_note(struct keyed_cell *cell, __u32 distribution, __u32 bucket,
                                       __u64 ns)
{
    if (bucket >= KEYED_BUCKETS)
        bucket = KEYED_BUCKETS - 1;
    barrier_var(bucket); /* else the compiler checks the bound of a copy */
    __sync_fetch_and_add(&cell->counts.sums_ns[distribution], ns);
    if (bucket < KEYED_BUCKETS)
        __sync_fetch_and_add(&cell->counts.buckets[distribution][bucket], 1);
}
