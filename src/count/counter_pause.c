/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A pause. The kernel keeps the value and both times of a disabled group, so that for the
 * arithmetic its target does not run: nothing is added to totals, and when the group counts again,
 * its deltas are those of the time in which it counted. Only a rate would be wrong, since it is
 * taken over the time between two readings. So a cell that was paused in between has none.
 */
#include "count/counter_cells.h"
#include "count/counter_set.h"

static void follow_pause(struct counter_set *set, size_t place, size_t group)
{
    struct mechanism *mechanism = set->mechanism;
    struct counter_cell *cell = counter_cell(set, place, group);

    if (cell->handle < 0)
        return;
    cell->interrupted = true;
    if (mechanism->set_enabled(mechanism, set, place, group, !mechanism->paused) < 0)
        counter_cell_close(set, place, group); /* nobody knows what it does now */
}

void counter_set_follow_pause(struct counter_set *set)
{
    for (size_t group = 0; group < set->groups->n_groups; group++) {
        if (!event_group_is_paused_with_pmu(&set->groups->groups[group]))
            continue;
        for (size_t place = 0; place < set->n_places; place++)
            follow_pause(set, place, group);
    }
}

void counter_set_stop(struct counter_set *set)
{
    struct mechanism *mechanism = set->mechanism;

    for (size_t place = 0; place < set->n_places; place++)
        for (size_t group = 0; group < set->groups->n_groups; group++)
            if (counter_cell(set, place, group)->handle >= 0)
                (void)mechanism->set_enabled(mechanism, set, place, group, false);
}
