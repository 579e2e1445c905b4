/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each operation keeps `n_missing` true: it is asked for each target in each cycle, too often to be
 * counted anew.
 */
#include "count/counter_cells.h"

bool counter_group_is_paused(const struct counter_set *set, size_t group)
{
    return set->mechanism->paused && event_group_is_paused_with_pmu(&set->groups->groups[group]);
}

bool counter_group_is_starved(const struct counter_set *set, size_t group)
{
    return set->starvations[group].until_ns > 0;
}

size_t counter_group_n_closed(const struct counter_set *set, size_t group)
{
    size_t n = 0;

    for (size_t place = 0; place < set->n_places; place++) {
        const struct counter_cell *cell = counter_cell(set, place, group);

        n += cell->handle < 0 && !cell->ended;
    }
    return n;
}

void counter_group_close(struct counter_set *set, size_t group)
{
    for (size_t place = 0; place < set->n_places; place++)
        counter_cell_close(set, place, group);
}

void counter_cell_opened(struct counter_set *set, size_t place, size_t group, int handle)
{
    struct counter_cell *cell = counter_cell(set, place, group);

    *cell =
        (struct counter_cell){.handle = handle, .interrupted = counter_group_is_paused(set, group)};
    set->n_missing--;
}

void counter_cell_ended(struct counter_set *set, size_t place, size_t group)
{
    struct counter_cell *cell = counter_cell(set, place, group);

    *cell = (struct counter_cell){.handle = -1, .ended = true};
    set->n_missing--;
}

void counter_cell_close(struct counter_set *set, size_t place, size_t group)
{
    struct counter_cell *cell = counter_cell(set, place, group);

    if (cell->handle >= 0) {
        set->mechanism->close(set->mechanism, set, place, group);
        set->n_missing++;
    }
    cell->handle = -1;
    cell->based = false;
}
