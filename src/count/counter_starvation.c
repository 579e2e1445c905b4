/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Groups that the kernel accepts and never runs. A group that needs more counters than
 * the PMU has, but not so many that opening fails, waits for ever, and whenever it is its
 * turn nobody counts: half the time of a healthy group is lost to it. The same is seen,
 * through no fault of the group, where somebody holds the counters for himself. Either is
 * closed when it has waited long enough, and tried again after a while.
 *
 * Where it is on some CPU only that a group waits, it goes on on the others and is told as busy:
 * what is counted lacks that CPU.
 *
 * What waits is told from what is idle by the time enabled: it advances only while the
 * target runs.
 */
#include "count/counter_cells.h"

#include "base/clock.h"

/* Of the target's time, over all places, and of ours. A turn comes every few milliseconds. */
#define LONGEST_TURN_NS (5 * NS_PER_SECOND)

/*
 * Until it is tried again: a minute, where it is the group's own fault twice as long each time.
 * Whose fault it is is a guess: beside others of ours that are smaller it may be a neighbour who
 * holds counters, and once he leaves what is counted again should be seen within minutes.
 */
#define FIRST_WAIT_NS  (60 * NS_PER_SECOND)
#define MOST_DOUBLINGS 2

bool counter_group_is_starved(const struct counter_set *set, size_t group)
{
    return set->starvations[group].until_ns > 0;
}

/* How many cells of a group ought to be open when it is tried. */
static size_t count_closed(const struct counter_set *set, size_t group)
{
    size_t n = 0;

    for (size_t place = 0; place < set->n_places; place++)
        n += counter_cell(set, place, group)->handle < 0 && !counter_cell(set, place, group)->ended;
    return n;
}

/* When one of ours that is served in the same turn was last seen to run. */
static uint64_t *last_ran_ns(const struct counter_set *set)
{
    return scope_is_of_threads(&set->scope) ? &set->mechanism->threads_ran_ns
                                            : &set->mechanism->cpus_ran_ns;
}

/* Where others of ours had turns meanwhile it is the group that does not fit. */
static enum absence judge(const struct counter_set *set, const struct starvation *starvation)
{
    return *last_ran_ns(set) > starvation->since_ns ? ABSENCE_NEVER_SCHEDULED : ABSENCE_PMU_BUSY;
}

/* On a CPU. Its base stands where it last had a turn there; a thread may run where it cannot. */
static bool waits_somewhere(const struct counter_set *set, size_t group)
{
    for (size_t place = 0; place < set->n_places && !scope_is_of_threads(&set->scope); place++) {
        const struct counter_cell *cell = counter_cell(set, place, group);

        if (cell->handle >= 0 && cell->based && cell->last_running == cell->running &&
            cell->last_enabled - cell->enabled >= LONGEST_TURN_NS)
            return true;
    }
    return false;
}

static void give_up(struct counter_set *set, size_t group, uint64_t now_ns)
{
    struct starvation *starvation = &set->starvations[group];

    starvation->absence = judge(set, starvation);
    starvation->until_ns = now_ns + (FIRST_WAIT_NS << starvation->doublings);
    if (starvation->absence == ABSENCE_NEVER_SCHEDULED && starvation->doublings < MOST_DOUBLINGS)
        starvation->doublings++;
    starvation->waited_ns = 0;
    for (size_t place = 0; place < set->n_places; place++)
        counter_cell_close(set, place, group);
    set->n_missing -= count_closed(set, group);
}

static void try_again(struct counter_set *set, size_t group)
{
    set->starvations[group].until_ns = 0;
    set->n_missing += count_closed(set, group);
    set->retry_at_ns = 0;
}

void counter_set_judge_starvation(struct counter_set *set, uint64_t now_ns, struct sample *sample)
{
    for (size_t i = 0; i < set->groups->n_groups; i++) {
        struct starvation *starvation = &set->starvations[i];
        struct group_sample *times = &sample->groups[i];

        if (!event_group_takes_counters(&set->groups->groups[i]))
            continue;
        if (starvation->until_ns > 0) {
            if (now_ns >= starvation->until_ns)
                try_again(set, i);
        } else if (times->running > 0) {
            *starvation = (struct starvation){.absence = waits_somewhere(set, i) ? ABSENCE_PMU_BUSY
                                                                                 : ABSENCE_NONE};
            *last_ran_ns(set) = now_ns;
        } else if (times->enabled > 0) {
            if (starvation->waited_ns == 0)
                starvation->since_ns = now_ns;
            starvation->waited_ns += times->enabled;
            if (starvation->waited_ns >= LONGEST_TURN_NS &&
                now_ns - starvation->since_ns >= LONGEST_TURN_NS)
                give_up(set, i, now_ns);
        }
        times->starved = starvation->absence != ABSENCE_NONE;
    }
}

void counter_set_adopt_starvation(struct counter_set *set, size_t group,
                                  const struct counter_set *from, size_t from_group)
{
    set->starvations[group] = from->starvations[from_group];
    if (counter_group_is_starved(set, group))
        set->n_missing -= count_closed(set, group);
}
