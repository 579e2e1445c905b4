/* SPDX-License-Identifier: Apache-2.0 */
#include "count/counter_settle.h"

#include "base/clock.h"

/*
 * Times between attempts to open what failed: the first retry is at once, since an event often
 * fails for a passing reason; then each second for some seconds, in which a lack of memory or of
 * descriptors passes or does not; then after 2, 4 … seconds, after a minute at most.
 */
#define TRIES_EACH_SECOND 5
#define SHORTEST_WAIT_NS  (900 * NS_PER_MS) /* a little less than a cycle of a second */
#define MOST_DOUBLINGS    5
#define LONGEST_WAIT_NS   (60 * NS_PER_SECOND)

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

/* How long to wait when so many attempts in a row have left something missing. */
static uint64_t wait_after(unsigned failures, bool failed)
{
    const unsigned doublings = failures - TRIES_EACH_SECOND;

    if (failures == 0 && failed)
        return 0;
    if (failures <= TRIES_EACH_SECOND)
        return SHORTEST_WAIT_NS;
    return doublings <= MOST_DOUBLINGS ? NS_PER_SECOND << doublings : LONGEST_WAIT_NS;
}

void counter_set_settle(struct counter_set *set, uint64_t now_ns)
{
    const bool failed = close_failed_groups(set);

    if (set->n_missing == 0) {
        set->failures = 0;
        return;
    }
    set->retry_at_ns = now_ns + wait_after(set->failures, failed);
    set->failures++;
}
