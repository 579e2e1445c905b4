/* SPDX-License-Identifier: Apache-2.0 */
#include "count/counter_settle.h"

#include "base/clock.h"

/*
 * Times between attempts to open what failed: the first retry is at once, since an event often
 * fails for a passing reason; then after 1, 2, 4 … seconds, after a minute at most.
 */
#define MOST_DOUBLINGS  6
#define LONGEST_WAIT_NS (60 * NS_PER_SECOND)

/* Whether some place of the group has a base reading, and so counts already. */
static bool is_counting(const struct counter_set *set, size_t group)
{
    for (size_t place = 0; place < set->n_places; place++)
        if (counter_cell(set, place, group)->based)
            return true;
    return false;
}

/*
 * Leaves each new group open everywhere or nowhere: half a target would look like an idle one.
 * A group that was counting and has lost a CPU goes on with the others, since what they have
 * counted since the last reading must not be lost; it has no rates until it is whole again.
 * Returns whether some group could not be opened.
 */
static bool close_failed_groups(struct counter_set *set)
{
    bool failed = false;

    for (size_t group = 0; group < set->groups->n_groups; group++) {
        if (set->absences[group] == ABSENCE_NONE)
            continue;
        failed = true;
        if (!is_counting(set, group))
            counter_group_close(set, group);
    }
    return failed;
}

void counter_set_settle(struct counter_set *set, uint64_t now_ns)
{
    const bool failed = close_failed_groups(set);
    const uint64_t wait_ns =
        set->failures < MOST_DOUBLINGS ? NS_PER_SECOND << set->failures : LONGEST_WAIT_NS;

    if (set->n_missing == 0) {
        set->failures = 0;
        return;
    }
    set->retry_at_ns = now_ns + (failed && set->failures == 0 ? 0 : wait_ns);
    set->failures++;
}
