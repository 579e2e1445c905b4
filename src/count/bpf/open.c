/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How a set begins to be counted by bpf: it gets a slot, its groups are found among those that are
 * open or are opened, and its cells become users of both. While this goes on the set itself is a
 * user of the slot and of each group, so that neither is given up in between.
 */
#include "count/bpf/open.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/counter_cells.h"
#include "count/counter_settle.h"
#include "count/perf_group.h"

/* What the failure to get a slot or a group means for the target. */
static enum absence absence_of(int error, const struct scope *scope)
{
    if (error == -ENOSPC)
        return ABSENCE_OVER_LIMIT;
    if (error == -ENAMETOOLONG)
        return ABSENCE_NOT_SUPPORTED;
    if (error == -ENOENT || error == -ENODEV || error == -ESTALE)
        return ABSENCE_TARGET_GONE;
    return perf_group_absence(error, scope);
}

static void open_cell(struct bpf *bpf, struct counter_set *set, size_t place, size_t group,
                      struct bpf_cell *wanted)
{
    struct counter_cell *cell = counter_cell(set, place, group);
    const size_t open = bpf_groups_open_counters(bpf->groups);
    const size_t rest = bpf->mechanism.descriptors > open ? bpf->mechanism.descriptors - open : 0;
    enum absence absence;
    int r;

    wanted->user.cpu = set->scope.cpus->cpus[place];
    r = bpf_groups_open(bpf->groups, &wanted->user, !counter_group_is_paused(set, group),
                        set->scope.hybrid, rest);
    if (r == 0) {
        if (wanted->user.charged)
            bpf_slots_share(bpf->slots, wanted->slot);
        counter_cell_opened(set, place, group, bpf_handle_of(bpf, wanted));
        return;
    }
    absence = perf_group_absence(r, &set->scope);
    cell->offline = absence == ABSENCE_CPU_OFFLINE;
    if (!cell->offline)
        set->absences[group] = absence;
}

static void open_group(struct bpf *bpf, struct counter_set *set, size_t group, size_t slot)
{
    struct bpf_cell cell = {.slot = slot, .user.charged = slot != BPF_SLOT_OF_SYSTEM};
    int r = bpf_groups_enter(bpf->groups, &set->groups->groups[group], cell.user.charged,
                             &cell.user.group);

    if (r < 0) {
        set->absences[group] = absence_of(r, &set->scope);
        return;
    }
    for (size_t place = 0; place < set->n_places; place++)
        if (counter_cell(set, place, group)->handle < 0 && set->absences[group] == ABSENCE_NONE)
            open_cell(bpf, set, place, group, &cell);
    /* Cells that were opened are its users now. If there is none, nobody is charged by it. */
    if (bpf_groups_leave(bpf->groups, cell.user.group, cell.user.charged))
        bpf_clear_lanes(bpf, cell.user.group);
}

/* Finds or makes the slot of a cgroup, and enters as its user. */
static int enter_cgroup(struct bpf *bpf, const struct scope *scope, size_t *ret_slot)
{
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;
    bool new;
    int r = cgroup_lineage_read(scope->cgroup_fd, &lineage);

    if (r >= 0)
        r = bpf_slots_enter(bpf->slots, lineage, ret_slot, &new);
    if (r < 0 || !new)
        return r;
    bpf->has_changed = true;
    r = switch_program_set_slot(bpf->program, cgroup_lineage_id(lineage), *ret_slot);
    if (r < 0)
        bpf_leave_slot(bpf, *ret_slot);
    return r;
}

/*
 * Finds or makes the slot of a process, and enters as its user. Which processes are charged there
 * is told to the program each time, since it may have changed; several sets may share the slot.
 */
static int enter_process(struct bpf *bpf, const struct scope *scope, size_t *ret_slot)
{
    AUTO(cgroup_lineage)
    struct cgroup_lineage *alone = malloc(sizeof(*alone) + sizeof(*alone->ids));
    bool new;
    int r;

    if (!alone)
        return -ENOMEM;
    alone->n = 1;
    alone->ids[0] = BPF_PROCESS_ID | scope->process;
    if (scope->inherit == INHERIT_CHILDREN)
        alone->ids[0] |= BPF_CHILDREN_ID;
    r = bpf_slots_enter(bpf->slots, alone, ret_slot, &new);
    if (r < 0)
        return r;
    r = bpf_watch(bpf, *ret_slot, scope);
    if (r < 0)
        bpf_leave_slot(bpf, *ret_slot);
    return r;
}

int bpf_enter_slot(struct bpf *bpf, const struct scope *scope, size_t *ret_slot)
{
    switch (scope->kind) {
    case SCOPE_SYSTEM:
        *ret_slot = BPF_SLOT_OF_SYSTEM;
        return 0;
    case SCOPE_CGROUP:
        return enter_cgroup(bpf, scope, ret_slot);
    default:
        return bpf->mechanism.counts_processes ? enter_process(bpf, scope, ret_slot) : -EOPNOTSUPP;
    }
}

void bpf_open_set(struct bpf *bpf, struct counter_set *set)
{
    const struct event_groups *groups = set->groups;
    size_t slot = BPF_SLOT_OF_SYSTEM;
    int r = bpf_enter_slot(bpf, &set->scope, &slot);

    for (size_t group = 0; group < groups->n_groups; group++) {
        if (groups->groups[group].n_opened == 0 || counter_group_is_starved(set, group))
            continue;
        set->absences[group] = r < 0 ? absence_of(r, &set->scope) : ABSENCE_NONE;
        if (r >= 0)
            open_group(bpf, set, group, slot);
    }
    counter_set_settle(set, clock_monotonic_ns());
    if (r >= 0 && slot != BPF_SLOT_OF_SYSTEM)
        bpf_leave_slot(bpf, slot); /* its open cells are its users now */
}
