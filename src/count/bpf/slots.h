/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which target has which slot, and what of them contains what: so that a cgroup's counts
 * are those of its own slot and of all that is nested in it, as the kernel counts it. Pure:
 * what is charged to slots stands in memory that others write.
 *
 * A slot that nobody uses any more goes on being part of its parent's sum, is folded into it
 * when nobody charges to it, and can then be given to another: no sum ever falls.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/cgroup_lineage.h"

struct bpf_slots;

/* What is charged: [cpu][slot][lane]. */
struct slot_cells {
    uint64_t *lanes; /* borrowed */
    size_t n_cpus, n_slots, n_lanes;
    size_t n_reserved; /* of the slots: the first, at least 1, which no cgroup gets */
};

/* NULL if there is no memory. */
struct bpf_slots *bpf_slots_new(const struct slot_cells *cells);
struct bpf_slots *bpf_slots_free(struct bpf_slots *slots);
DEFINE_AUTO(bpf_slots, struct bpf_slots *, bpf_slots_free)

/*
 * The slot of a cgroup, one user more than before. *ret_new: nobody used it, and it is to be
 * charged from now on. 0; -ENOSPC: all are taken; -ENOMEM.
 */
int bpf_slots_enter(struct bpf_slots *slots, const struct cgroup_lineage *lineage, size_t *ret_slot,
                    bool *ret_new);

/* One user more of a slot that has some. */
void bpf_slots_share(struct bpf_slots *slots, size_t slot);

/* One user less; true: it was the last one, and nothing more is to be charged there. */
bool bpf_slots_leave(struct bpf_slots *slots, size_t slot);

/* Whether there are slots to be folded. */
bool bpf_slots_any_left(const struct bpf_slots *slots);

/*
 * Folds those that were left: nobody charges to them any more, on any CPU. Where there is no
 * memory for it, it is left for the next time.
 */
void bpf_slots_fold(struct bpf_slots *slots);

/* The id of the cgroup that has the slot. */
uint64_t bpf_slots_id(const struct bpf_slots *slots, size_t slot);

/* One lane of a slot on one CPU, with all that is nested in it. */
uint64_t bpf_slots_sum(const struct bpf_slots *slots, size_t slot, size_t cpu, size_t lane);

/* Nobody charges to these lanes: they are to begin at 0 again, everywhere. */
void bpf_slots_clear_lanes(struct bpf_slots *slots, size_t first, size_t n);
