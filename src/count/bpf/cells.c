/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A handle is a number that is made of the slot, the CPU, the birth of the CPU and the group:
 * nothing has to be kept for it.
 */
#include "count/bpf/cells.h"

#include <limits.h>

#include "count/bpf/mechanism.h"

#define MOST_PLACES ((size_t)INT_MAX / BPF_BIRTHS / BPF_GROUPS_MAX)

bool bpf_handles_suffice(const struct switch_program_size *size)
{
    return size->n_slots * size->n_cpus <= MOST_PLACES;
}

int bpf_handle_of(const struct bpf *bpf, const struct bpf_cell *cell)
{
    const size_t place = cell->slot * bpf->size.n_cpus + (size_t)cell->user.cpu.value;

    return (int)((place * BPF_BIRTHS + cell->user.birth) * BPF_GROUPS_MAX + cell->user.group);
}

struct bpf_cell bpf_cell_of(const struct bpf *bpf, int handle)
{
    const size_t birth = (size_t)handle / BPF_GROUPS_MAX, place = birth / BPF_BIRTHS;
    const size_t slot = place / bpf->size.n_cpus;

    return (struct bpf_cell){.slot = slot,
                             .user = {.group = (size_t)handle % BPF_GROUPS_MAX,
                                      .cpu = {(int)(place % bpf->size.n_cpus)},
                                      .birth = (unsigned)(birth % BPF_BIRTHS),
                                      .charged = slot != BPF_SLOT_OF_SYSTEM}};
}

void bpf_refresh_cpus(struct bpf *bpf)
{
    const bool all = bpf->has_changed && bpf->size.n_latency_slots > 0;

    for (size_t cpu = 0; cpu < bpf->size.n_cpus; cpu++)
        if (all || bpf_groups_are_open(bpf->groups, cpu))
            (void)switch_program_refresh(bpf->program, cpu); /* offline: nothing runs there */
    bpf->has_changed = false;
}

int bpf_watch(struct bpf *bpf, size_t slot, const struct scope *scope)
{
    bpf->has_changed = true;
    return watched_processes_set(bpf->watched, slot, scope);
}

void bpf_leave_slot(struct bpf *bpf, size_t slot)
{
    const uint64_t id = bpf_slots_id(bpf->slots, slot);

    if (!bpf_slots_leave(bpf->slots, slot))
        return;
    bpf->has_changed = true;
    if (!(id & BPF_PROCESS_ID))
        (void)switch_program_clear_slot(bpf->program, id);
    else if (watched_processes_end(bpf->watched, slot))
        bpf_refresh_cpus(bpf);
}

void bpf_clear_lanes(struct bpf *bpf, size_t group)
{
    bpf_refresh_cpus(bpf); /* a CPU may be charging the group at this moment */
    bpf_slots_clear_lanes(bpf->slots, bpf_groups_first_lane(bpf->groups, group),
                          BPF_GROUP_LANES(bpf_groups_n_events(bpf->groups, group)));
}

void bpf_update_open_counters(struct bpf *bpf)
{
    bpf->mechanism.open_counters = bpf_groups_open_counters(bpf->groups);
}
