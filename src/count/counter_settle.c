/* SPDX-License-Identifier: Apache-2.0 */

/* What becomes of a set after an attempt to open it, whatever the mechanism. */
#include "base/clock.h"
#include "count/counter_cells.h"

/* Between tries to open what failed: at once, then 1, 2, 4 … s, at most a minute. */
#define MOST_DOUBLINGS 6
#define LONGEST_WAIT   (60 * NS_PER_SECOND)

/* Whether the group counts already in some place of the set. */
static bool is_counting(const struct counter_set *set, size_t group)
{
    for (size_t place = 0; place < set->n_places; place++)
        if (counter_cell(set, place, group)->based)
            return true;
    return false;
}

/*
 * Leaves each new group open everywhere or nowhere. One that was counting and lost
 * a CPU goes on with the others: what they have counted is not thrown away, and
 * there are no rates until it is whole again.
 */
static bool settle_groups(struct counter_set *set)
{
    bool failed = false;

    for (size_t group = 0; group < set->groups->n_groups; group++) {
        if (set->absences[group] == ABSENCE_NONE)
            continue;
        failed = true;
        for (size_t place = 0; place < set->n_places && !is_counting(set, group); place++)
            counter_cell_close(set, place, group);
    }
    return failed;
}

void counter_set_settle(struct counter_set *set, uint64_t now_ns)
{
    bool failed = settle_groups(set);
    uint64_t wait = set->failures < MOST_DOUBLINGS ? NS_PER_SECOND << set->failures : LONGEST_WAIT;

    if (set->n_missing == 0) {
        set->failures = 0;
        return;
    }
    set->retry_at_ns = now_ns + (failed && set->failures == 0 ? 0 : wait);
    set->failures++;
}
