/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The second stage. Opening may be slow: it is done in batches, which grow while they are fast, and
 * what is not open after some time waits for the next round, since a cycle must not be late for it.
 * Tenants take turns (turns.h).
 */
#include <errno.h>

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/entry_counters.h"
#include "cycle/latencies.h"
#include "cycle/stages.h"

#define OPEN_TIME_NS          (NS_PER_SECOND / 2)
#define OPEN_TIME_BETWEEN_NS  (NS_PER_SECOND / 50)
#define TIME_OF_FAST_BATCH_NS (NS_PER_SECOND / 20)

/* How many that were refused are tried again in a cycle: strangers decide how many there are. */
#define MOST_ADMISSIONS 100

/*
 * Tries again to give room to targets that were refused, a bounded number in each cycle, in turns,
 * and counters to those that have none. Making room removes what lingers, and with it moves others
 * in the list: what is passed over now is seen the next time. Returns true if a cgroup was given
 * room.
 */
static bool admit_refused(struct collector *collector)
{
    struct ledger *ledger = &collector->ledger;
    size_t *const next = &collector->opener.next_admission;
    const size_t begin = *next, n = ledger->n_entries;
    size_t tries = MOST_ADMISSIONS;
    bool is_admitted = false;

    for (size_t i = 0; i < n && tries > 0; i++) {
        size_t place = (begin + i) % n;
        struct entry *entry = place < ledger->n_entries ? ledger->entries[place] : NULL;

        if (!entry || entry->gone_ns || (entry->account && (entry->counters || entry->group)))
            continue;
        if (!entry->account) {
            (void)ledger_admit(ledger, entry, clock_realtime_ns());
            *next = place + 1;
            is_admitted |= entry->account && entry->cgroup;
            tries--;
        }
        if (entry->account && !entry->counters && collector_counts_entry(collector, entry))
            (void)collector_make_counters(collector, entry);
    }
    return is_admitted;
}

/* Between two cycles the turn is of those that were born since the last one alone. */
static bool has_turn(const struct entry *entry, const struct round *round)
{
    return entry->counters && (entry->is_new || !round->between_cycles);
}

/* Lists what this mechanism opens in this round, in its order. 0 or -ENOMEM. */
static int list_wanted(struct collector *collector, const struct mechanism *mechanism,
                       const struct round *round)
{
    struct opener *opener = &collector->opener;
    struct turns *turns = &opener->cgroups;

    turns_clear(turns);
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        entry->is_opening = has_turn(entry, round) &&
                            counter_set_mechanism(entry->counters) == mechanism &&
                            counter_set_wants_open(entry->counters, round->now_ns);
        if (entry->is_opening &&
            turns_add(turns, entry->counters, entry, entry->cgroup ? entry->cgroup->tenant : 0) < 0)
            return -ENOMEM;
    }
    turns_sort(turns);
    for (size_t i = 0; i < turns->n; i++)
        opener->sets[i] = turns->turns[i].what;
    return 0;
}

static int open_batches(struct opener *opener, struct mechanism *mechanism, uint64_t most_time_ns)
{
    const size_t n_sets = opener->cgroups.n;
    const uint64_t begin_ns = clock_monotonic_ns();
    uint64_t before_ns = begin_ns, now_ns = begin_ns;
    size_t batch = 1, n;

    for (size_t i = 0; i < n_sets && now_ns - begin_ns < most_time_ns; i += n) {
        int r;

        n = n_sets - i < batch ? n_sets - i : batch;
        r = mechanism->open(mechanism, opener->sets + i, n);
        if (r < 0)
            return r;
        turns_took(&opener->cgroups, i + n - 1);
        now_ns = clock_monotonic_ns();
        batch = now_ns - before_ns < TIME_OF_FAST_BATCH_NS ? 2 * batch : batch;
        before_ns = now_ns;
    }
    return 0;
}

/*
 * The first reading of what was opened between two cycles, so that its numbers begin at its birth.
 * What a cycle opens it reads in the same cycle.
 */
static void begin_opened(struct collector *collector, struct mechanism *mechanism)
{
    if (collector->opener.cgroups.n == 0)
        return;
    mechanism_refresh(mechanism);
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];
        struct sample *sample = collector_class(collector, entry)->sample;

        if (!entry->is_opening)
            continue;
        counter_set_begin(entry->counters, collector->readings.at_ns, clock_monotonic_ns(), sample);
        account_update(entry->account, sample);
        entry->counted = entry->counted || sample_has_counted(sample);
    }
}

size_t collector_target_descriptors(const struct collector *collector)
{
    const struct cgroup_targets *cgroups = collector->cgroups.targets;
    struct target_names *names = collector->setup.names;

    return (cgroups ? cgroup_targets_count(cgroups) : 0) + collector_watch_descriptors(collector) +
           (names ? target_names_descriptors(names) : 0);
}

/* What the targets themselves and runs leave to counters. */
static size_t counter_descriptors(const struct collector *collector)
{
    const size_t of_others = collector_target_descriptors(collector) + collector->opener.of_runs;
    const size_t all = collector->setup.descriptors;

    return all > of_others ? all - of_others : 0;
}

void collector_leave_to_runs(struct collector *collector, size_t descriptors)
{
    collector->opener.of_runs = descriptors;
}

/* Opens what one mechanism counts, which may use the descriptors that the other one leaves. */
static int open_by(struct collector *collector, struct mechanism *mechanism, size_t of_other,
                   const struct round *round)
{
    const size_t all = counter_descriptors(collector);
    int r;

    mechanism->descriptors = all > of_other ? all - of_other : 0;
    r = list_wanted(collector, mechanism, round);
    if (r >= 0)
        r = open_batches(&collector->opener, mechanism,
                         round->between_cycles ? OPEN_TIME_BETWEEN_NS : OPEN_TIME_NS);
    if (round->between_cycles)
        begin_opened(collector, mechanism);
    return r;
}

/* Counters that many targets share are opened first. */
static int open_counters(struct collector *collector, const struct round *round)
{
    struct mechanism *direct = collector->setup.direct, *bpf = collector->setup.bpf;
    int r;

    if (!bpf)
        return open_by(collector, direct, 0, round);
    r = open_by(collector, bpf, direct->open_counters, round);
    return r < 0 ? r : open_by(collector, direct, bpf->open_counters, round);
}

/* Notes why a target is not counted, and adds one to the dropped each time that this begins. */
static void note_absence(struct collector *collector, struct entry *entry)
{
    enum absence reason = counter_set_absence(entry->counters);

    if (reason == ABSENCE_NONE && entry->over_budget)
        reason = ABSENCE_OVER_BUDGET;
    if (reason != ABSENCE_NONE && entry->uncounted != reason)
        collector->status.dropped[collector_class(collector, entry)->kind][reason]++;
    entry->uncounted = reason;
}

int collector_open(struct collector *collector, const struct round *round, bool wants_open)
{
    struct ledger *ledger = &collector->ledger;
    struct counter_set **sets;
    int r;

    if (!wants_open)
        return 0;
    if (!round->between_cycles && admit_refused(collector))
        (void)collector_grant_counters(collector, true);
    sets = reallocarray(collector->opener.sets, ledger->n_entries + 1, sizeof(*sets));
    if (!sets)
        return -ENOMEM;
    collector->opener.sets = sets;
    r = open_counters(collector, round);
    collector_open_latencies(collector, round);
    if (r >= 0)
        r = collector_open_processes(collector, round);
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (has_turn(ledger->entries[i], round))
            note_absence(collector, ledger->entries[i]);
    return r;
}
