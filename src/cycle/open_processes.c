/* SPDX-License-Identifier: Apache-2.0 */

/* The second stage, for processes: opens the counters of members of groups. */
#include "cycle/open_processes.h"

#include <errno.h>

#include "base/clock.h"
#include "base/share.h"
#include "cycle/collector_parts.h"
#include "cycle/latencies.h"
#include "cycle/process_member.h"
#include "cycle/stages.h"

/* Opening may be slow: what is not open after this time waits for the next round. */
#define OPEN_TIME_NS         (NS_PER_SECOND / 4)
#define OPEN_TIME_BETWEEN_NS (NS_PER_SECOND / 50)

/* How many threads are counted: those of one user, or, where user is NULL, of all. */
static size_t count_threads(const struct ledger *ledger, const uid_t *user)
{
    size_t n = 0;

    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct process_group *group = ledger->entries[i]->group;

        for (const struct process_member *member = group ? group->members : NULL; member;
             member = member->next)
            if (!member->ended && (!user || member->target->uid == *user))
                n += process_member_threads(member);
    }
    return n;
}

static size_t subtract_or_zero(size_t limit, size_t taken)
{
    return limit > taken ? limit - taken : 0;
}

/* Root may have all that is left: it could do worse than to have its threads counted. */
static size_t threads_left(const struct collector *collector, const struct process_member *member)
{
    const size_t limit = (size_t)collector->setup.config->limits.threads;
    const size_t all = count_threads(&collector->ledger, NULL);
    size_t left = subtract_or_zero(limit, all), of_user, left_to_user;

    if (member->target->uid == 0)
        return left;
    of_user = count_threads(&collector->ledger, &member->target->uid);
    left_to_user = subtract_or_zero(share_left(limit, all - of_user), of_user);
    return left < left_to_user ? left : left_to_user;
}

struct process_opening collector_opening(const struct collector *collector,
                                         const struct round *round, const struct entry *entry)
{
    return (struct process_opening){
        .mechanism = setup_mechanism(&collector->setup, SCOPE_PROCESS),
        .latency = collector_wants_latencies(collector, entry) ? collector->setup.latency : NULL,
        .groups = collector_class(collector, entry)->groups,
        .targets = collector->processes.targets,
        .cpus = collector->cpus.online,
        .hybrid = pmu_list_if_hybrid(collector->cpus.pmus),
        .can_inherit_threads = collector->processes.can_inherit_threads,
        .at_birth = round->between_cycles,
        .now_ns = round->now_ns,
    };
}

/* Whether the member has a turn in this round. */
static bool wants_turn(const struct collector *collector, const struct round *round,
                       const struct entry *entry, const struct process_member *member)
{
    const struct process_opening opening = collector_opening(collector, round, entry);

    if (member->ended)
        return false;
    return round->between_cycles ? process_member_is_new(member, &opening)
                                 : process_member_wants_open(member, &opening);
}

/* Lists whose counters are opened in this round, in its order. Users take turns. 0 or -ENOMEM. */
static int list_members(struct collector *collector, const struct round *round)
{
    const struct ledger *ledger = &collector->ledger;
    struct turns *turns = &collector->opener.processes;

    turns_clear(turns);
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[i];
        struct process_member *member =
            entry_is_awake(entry) && entry->account ? entry->group->members : NULL;

        for (; member; member = member->next)
            if (wants_turn(collector, round, entry, member) &&
                turns_add(turns, member, entry, 1 + (uint64_t)member->target->uid) < 0)
                return -ENOMEM;
    }
    turns_sort(turns);
    return 0;
}

static int open_members(struct collector *collector, const struct round *round)
{
    const uint64_t end_ns =
        clock_monotonic_ns() + (round->between_cycles ? OPEN_TIME_BETWEEN_NS : OPEN_TIME_NS);
    struct turns *turns = &collector->opener.processes;
    int r = list_members(collector, round);

    for (size_t i = 0; i < turns->n && r >= 0 && clock_monotonic_ns() < end_ns; i++) {
        struct process_member *member = turns->turns[i].what;
        struct process_opening opening = collector_opening(collector, round, turns->turns[i].of);

        opening.threads_left = threads_left(collector, member);
        r = process_member_open(member, &opening);
        turns_took(turns, i);
    }
    return r;
}

/*
 * The first reading of what was opened between two cycles, so that its numbers begin at its birth.
 * What a cycle opens it reads in the same cycle.
 */
static void begin_members(struct collector *collector)
{
    mechanism_refresh(setup_mechanism(&collector->setup, SCOPE_PROCESS));
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry_is_awake(entry) && entry->account)
            process_group_begin(entry->group, collector->readings.at_ns, clock_monotonic_ns(),
                                collector_class(collector, entry)->part);
    }
}

int collector_open_processes(struct collector *collector, const struct round *round)
{
    int r;

    if (!collector->processes.targets)
        return 0;
    r = open_members(collector, round);
    if (round->between_cycles)
        begin_members(collector);
    return r;
}
