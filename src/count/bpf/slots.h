/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which target has which slot, and which targets contain which. A cgroup's count is the sum of its
 * own slot and of all slots that are nested in it, as the kernel counts it. It is pure: what is
 * charged to slots stands in memory that the program in the kernel writes.
 *
 * No sum ever falls. A slot that nobody uses any more remains part of its parent's sum. When it is
 * certain that nothing is charged to it any more, its counts are added to its parent for good (it
 * is folded), and the slot can be given to another target.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/bpf/slot_latencies.h"
#include "sys/cgroup_lineage.h"

struct bpf_slots;

/* Where counts stand: an array [cpu][slot][lane]. */
struct slot_cells {
    uint64_t *lanes; /* borrowed */
    size_t n_cpus, n_slots, n_lanes;
    size_t n_reserved; /* so many slots at the beginning, at least 1, are given to no target */
};

/*
 * Ids of which this is set are those of processes: what their slots count is a part of what those
 * of cgroups count.
 */
#define BPF_PROCESS_ID (UINT64_C(1) << 63)

/* latencies: borrowed for the life of the slots. NULL if there is no memory. */
struct bpf_slots *bpf_slots_new(const struct slot_cells *cells, struct slot_latencies *latencies);
struct bpf_slots *bpf_slots_free(struct bpf_slots *slots);
DEFINE_AUTO(bpf_slots, struct bpf_slots *, bpf_slots_free)

/*
 * Finds or makes the slot of a cgroup, and adds a user to it. *ret_new: it had no user, so that the
 * caller has to have it charged from now on. 0; -ENOSPC: all slots are taken; -ENOMEM.
 */
int bpf_slots_enter(struct bpf_slots *slots, const struct cgroup_lineage *lineage, size_t *ret_slot,
                    bool *ret_new);

/* Adds a user to a slot that has some. */
void bpf_slots_share(struct bpf_slots *slots, size_t slot);

/* Drops a user. True: it was the last one; the caller ends that the slot is charged. */
bool bpf_slots_leave(struct bpf_slots *slots, size_t slot);

/* Whether there are slots without users, which wait to be folded. */
bool bpf_slots_any_unused(const struct bpf_slots *slots);

/* Called for a slot before it is folded, while it is still part of the tree. */
typedef void bpf_slots_farewell(void *context, size_t slot);

/*
 * Folds the slots without users. No CPU may charge to them any more. Where memory is missing, a
 * slot waits for the next call. farewell: NULL: nobody wants to know.
 */
void bpf_slots_fold(struct bpf_slots *slots, bpf_slots_farewell *farewell, void *context);

/* The slot of the nearest target that contains it. SWITCH_PROGRAM_REST: there is none. */
size_t bpf_slots_parent(const struct bpf_slots *slots, size_t slot);

/* The id of the cgroup that the slot belongs to. */
uint64_t bpf_slots_id(const struct bpf_slots *slots, size_t slot);

/* One lane on one CPU, summed over a slot and all slots that are nested in it. */
uint64_t bpf_slots_sum(const struct bpf_slots *slots, size_t slot, size_t cpu, size_t lane);

/*
 * The latencies of a slot since it began, with what all slots have counted since then that were
 * nested in it; of SWITCH_PROGRAM_REST: those of the machine, which is the rest and all cgroups.
 * They never fall. Those of a nested slot for which there is no memory are the machine's alone.
 *
 * Those of a slot are as they are now. Of nested slots, and of the machine, all slots are looked at
 * with the first reading after a refresh, once for all that follow. Borrowed until the slot is
 * folded; NULL: they are not counted there.
 */
const struct latencies *bpf_slots_latencies(struct bpf_slots *slots, size_t slot);

/* The same, with nested slots as they are now. It takes longer. */
const struct latencies *bpf_slots_latencies_now(struct bpf_slots *slots, size_t slot);

/* Has the next reading of latencies look at all slots. */
void bpf_slots_note_refresh(struct bpf_slots *slots);

/* Makes these lanes 0 in all slots, on all CPUs. Nobody may charge to them meanwhile. */
void bpf_slots_clear_lanes(struct bpf_slots *slots, size_t first, size_t n);
