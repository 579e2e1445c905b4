/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Groups that the kernel accepts and never runs. A group that needs more counters than the PMU has,
 * but not so many that opening it fails, waits for ever; and whenever the kernel lets it have its
 * turn, no group counts: a healthy group beside it loses half its time. The same happens, through
 * no fault of the group, where somebody else holds counters exclusively. In both cases we close the
 * group when it has waited long enough, and try again after a while.
 *
 * A group that waits on some CPUs only goes on counting on the others. It is then reported as busy,
 * since the counts of those CPUs are missing.
 *
 * A group that waits differs from one whose target is idle by the time enabled, which advances only
 * while the target runs.
 */
#include "count/counter_starvation.h"

#include "base/clock.h"

/*
 * So long a group may wait for its turn, both by the time enabled (of all places together) and by
 * the clock. The kernel changes the turns every few milliseconds, so that this is ample.
 */
#define LONGEST_WAIT_NS (5 * NS_PER_SECOND)

/*
 * A closed group is tried again after a minute. Where the fault seems to be its own, the time is
 * doubled with each try, to four minutes at most. Whose fault it is we can only guess: a neighbour
 * who holds some counters leaves enough for smaller groups of ours. When he goes, the group should
 * be counted again within minutes.
 */
#define FIRST_CLOSED_NS (60 * NS_PER_SECOND)
#define MOST_DOUBLINGS  2

/*
 * When a group of ours that the kernel serves in the same turn was last seen to run. CPUs and
 * threads differ: groups of threads get what the groups of their CPU leave.
 */
static uint64_t *last_ran_ns(const struct counter_set *set)
{
    return scope_is_of_threads(&set->scope) ? &set->mechanism->threads_ran_ns
                                            : &set->mechanism->cpus_ran_ns;
}

/*
 * Whether the group waits on some CPU while it runs on others. The base reading of a cell stays
 * where the group last ran. Threads are not judged so: a thread may be on a CPU of another kind,
 * where its group cannot run.
 */
static bool waits_on_some_cpu(const struct counter_set *set, size_t group)
{
    if (scope_is_of_threads(&set->scope))
        return false;
    for (size_t place = 0; place < set->n_places; place++) {
        const struct counter_cell *cell = counter_cell(set, place, group);

        if (cell->handle >= 0 && cell->based && cell->last_running == cell->running &&
            cell->last_enabled - cell->enabled >= LONGEST_WAIT_NS)
            return true;
    }
    return false;
}

/* Closes a group that has waited too long. While it is closed, nothing of it is missing. */
static void give_up(struct counter_set *set, size_t group, uint64_t now_ns)
{
    struct starvation *starvation = &set->starvations[group];
    const bool others_ran = *last_ran_ns(set) > starvation->since_ns;

    /* Where other groups of ours had turns meanwhile, it is this one that does not fit. */
    starvation->absence = others_ran ? ABSENCE_NEVER_SCHEDULED : ABSENCE_PMU_BUSY;
    starvation->until_ns = now_ns + (FIRST_CLOSED_NS << starvation->doublings);
    if (others_ran && starvation->doublings < MOST_DOUBLINGS)
        starvation->doublings++;
    starvation->waited_ns = 0;
    counter_group_close(set, group);
    set->n_missing -= counter_group_n_closed(set, group);
}

/* Lets a closed group be opened at the next opportunity: its cells are missing from here on. */
static void try_again(struct counter_set *set, size_t group)
{
    set->starvations[group].until_ns = 0;
    set->n_missing += counter_group_n_closed(set, group);
    set->retry_at_ns = 0;
}

static void judge_group(struct counter_set *set, size_t group, uint64_t now_ns,
                        const struct group_sample *times)
{
    struct starvation *starvation = &set->starvations[group];

    if (starvation->until_ns > 0) {
        if (now_ns >= starvation->until_ns)
            try_again(set, group);
    } else if (times->running > 0) {
        const bool waits = waits_on_some_cpu(set, group);

        *starvation = (struct starvation){.absence = waits ? ABSENCE_PMU_BUSY : ABSENCE_NONE};
        *last_ran_ns(set) = now_ns;
    } else if (times->enabled > 0) {
        if (starvation->waited_ns == 0)
            starvation->since_ns = now_ns;
        starvation->waited_ns += times->enabled;
        if (starvation->waited_ns >= LONGEST_WAIT_NS &&
            now_ns - starvation->since_ns >= LONGEST_WAIT_NS)
            give_up(set, group, now_ns);
    }
}

void counter_set_judge_starvation(struct counter_set *set, uint64_t now_ns, struct sample *sample)
{
    for (size_t group = 0; group < set->groups->n_groups; group++) {
        if (!event_group_takes_counters(&set->groups->groups[group]))
            continue; /* software events always run */
        judge_group(set, group, now_ns, &sample->groups[group]);
        sample->groups[group].starved = set->starvations[group].absence != ABSENCE_NONE;
    }
}

void counter_set_adopt_starvation(struct counter_set *set, size_t group,
                                  const struct counter_set *from, size_t from_group)
{
    set->starvations[group] = from->starvations[from_group];
    if (counter_group_is_starved(set, group))
        set->n_missing -= counter_group_n_closed(set, group);
}
