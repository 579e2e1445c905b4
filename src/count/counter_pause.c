/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A pause. A disabled group keeps its value and both its times, so that to the
 * arithmetic it is a target that does not run: nothing is added to totals, and when
 * it counts again its deltas are those of the time that it counted. Only a rate
 * would be wrong, which is taken over the time between two readings: a cell that
 * was paused in between has none.
 */
#include "count/counter_cells.h"

bool counter_group_is_paused(const struct counter_set *set, size_t group)
{
    return set->mechanism->paused && event_group_takes_counters(&set->groups->groups[group]);
}

static void follow_pause(struct counter_set *set, size_t place, size_t group)
{
    struct mechanism *mechanism = set->mechanism;
    struct counter_cell *cell = counter_cell(set, place, group);

    if (cell->handle < 0)
        return;
    cell->interrupted = true;
    if (mechanism->set_enabled(mechanism, cell->handle, !mechanism->paused) < 0)
        counter_cell_close(set, place, group);
}

void counter_set_follow_pause(struct counter_set *set)
{
    for (size_t group = 0; group < set->groups->n_groups; group++) {
        if (!event_group_takes_counters(&set->groups->groups[group]))
            continue;
        for (size_t place = 0; place < set->n_places; place++)
            follow_pause(set, place, group);
    }
}

void counter_set_stop(struct counter_set *set)
{
    struct mechanism *mechanism = set->mechanism;

    for (size_t i = 0; i < set->n_places * set->groups->n_groups; i++)
        if (set->cells[i].handle >= 0)
            (void)mechanism->set_enabled(mechanism, set->cells[i].handle, false);
}
