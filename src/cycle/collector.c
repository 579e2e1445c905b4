/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One cycle, in this order: discover, so that what has ended is read once more
 * and closed, and what is new is entered; open; read and derive; publish. A
 * failure in a stage leaves the others their work: numbers that stand are never
 * thrown away for what could not be done about others.
 */
#include "cycle/collector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cycle/pmu_grants.h"
#include "cycle/stages.h"
#include "log/log.h"
#include "metric/snapshot.h"
#include "resolve/absence_advice.h"

/*
 * Opening may be slow: it is done in batches, which grow while they are fast, and what
 * is not open after this time waits for the next cycle.
 */
#define OPEN_TIME_NS  (NS_PER_SECOND / 2)
#define FAST_BATCH_NS (NS_PER_SECOND / 20)

/* The same between cycles, the next of which must not be late for it. */
#define FOLLOW_TIME_NS (NS_PER_SECOND / 50)

/* How many that were refused are tried again in a cycle. */
#define MOST_ADMISSIONS 100

/* The list of CPUs and two of epoll, beside a ring and a bell for each CPU. */
#define PROCESS_WATCH_DESCRIPTORS 3

static struct target_class *class_of(const struct collector *collector, const struct entry *entry)
{
    return &collector->resolution->classes[entry->class_index];
}

static enum scope_kind kind_of(const struct collector *collector, const struct entry *entry)
{
    return class_of(collector, entry)->kind;
}

/* Whether the entry is one that has, or ought to have, counters of its own. */
static bool is_countable(const struct collector *collector, const struct entry *entry)
{
    return !entry->gone_ns && entry != collector->machine && !entry->group;
}

/* open */

/*
 * Tries again to give room to those that were refused, a bounded number in each cycle,
 * in turns, since strangers decide how many there are; and counters to who has none. Making room
 * removes what lingers, and with it moves others in the list: what is passed over now is seen next
 * time.
 */
static void admit_refused(struct collector *collector)
{
    const struct ledger *ledger = &collector->ledger;
    const size_t begin = collector->next_admission, n = ledger->n_entries;
    size_t tries = MOST_ADMISSIONS;

    for (size_t i = 0; i < n && tries > 0; i++) {
        size_t place = (begin + i) % n;
        struct entry *entry = place < ledger->n_entries ? ledger->entries[place] : NULL;

        if (!entry || entry->gone_ns || (entry->account && (entry->counters || entry->group)))
            continue;
        if (!entry->account) {
            (void)ledger_admit(&collector->ledger, entry, clock_realtime_ns());
            collector->next_admission = place + 1;
            collector->share_again = collector->share_again || entry->account;
            tries--;
        }
        if (entry->account && !entry->counters && is_countable(collector, entry))
            (void)collector_make_counters(collector, entry);
    }
}

static void list_wanted(struct collector *collector, const struct mechanism *mechanism)
{
    collector->n_opening = 0;
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        entry->is_opening = entry->counters && (entry->is_new || !collector->between) &&
                            counter_set_mechanism(entry->counters) == mechanism &&
                            counter_set_wants_open(entry->counters, collector->now_ns);
        if (entry->is_opening)
            collector->opening[collector->n_opening++] = entry->counters;
    }
}

/* What a cycle opens it reads in the same cycle. */
static void begin_opened(struct collector *collector, struct mechanism *mechanism)
{
    if (!collector->between || collector->n_opening == 0)
        return;
    mechanism_refresh(mechanism);
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];
        struct sample *sample = class_of(collector, entry)->sample;

        if (!entry->is_opening)
            continue;
        counter_set_begin(entry->counters, collector->last_round_ns, clock_monotonic_ns(), sample);
        account_update(entry->account, sample);
        entry->counted = entry->counted || sample_has_counted(sample);
    }
}

/* Notes why a target is not counted, and counts it once each time that it begins. */
static void note_absence(struct collector *collector, struct entry *entry)
{
    enum absence reason = counter_set_absence(entry->counters);

    if (reason == ABSENCE_NONE && entry->over_budget)
        reason = ABSENCE_OVER_BUDGET;
    if (reason != ABSENCE_NONE && entry->uncounted != reason)
        collector->status.dropped[kind_of(collector, entry)][reason]++;
    entry->uncounted = reason;
}

/* What the targets themselves, directories and pidfds, leave to counters. */
static size_t counter_descriptors(const struct collector *collector)
{
    size_t of_targets = collector->cgroups ? cgroup_targets_count(collector->cgroups) : 0;
    size_t all = collector->setup.descriptors;

    if (collector->processes) /* a pidfd each, and what tells of births and ends */
        of_targets += process_targets_census(collector->processes)->standing +
                      2 * collector->online->n + PROCESS_WATCH_DESCRIPTORS;
    return all > of_targets ? all - of_targets : 0;
}

static int open_batches(struct collector *collector, struct mechanism *mechanism)
{
    const uint64_t most_ns = collector->between ? FOLLOW_TIME_NS : OPEN_TIME_NS;
    uint64_t begin_ns = clock_monotonic_ns(), before_ns = begin_ns, now_ns = begin_ns;
    size_t batch = 1, n;

    for (size_t i = 0; i < collector->n_opening && now_ns - begin_ns < most_ns; i += n) {
        int r;

        n = collector->n_opening - i < batch ? collector->n_opening - i : batch;
        r = mechanism->open(mechanism, collector->opening + i, n);
        if (r < 0)
            return r;
        now_ns = clock_monotonic_ns();
        batch = now_ns - before_ns < FAST_BATCH_NS ? 2 * batch : batch;
        before_ns = now_ns;
    }
    return 0;
}

/* Those of one mechanism, which has what the other one leaves. */
static int open_wanted(struct collector *collector, struct mechanism *mechanism, size_t of_other)
{
    const size_t all = counter_descriptors(collector);
    int r;

    mechanism->descriptors = all > of_other ? all - of_other : 0;
    list_wanted(collector, mechanism);
    r = open_batches(collector, mechanism);
    begin_opened(collector, mechanism);
    return r;
}

/* What many share goes first. */
static int open_all(struct collector *collector)
{
    struct mechanism *mechanism = collector->setup.mechanism, *bpf = collector->setup.bpf;
    int r;

    if (!bpf)
        return open_wanted(collector, mechanism, 0);
    r = open_wanted(collector, bpf, mechanism->open_counters);
    return r < 0 ? r : open_wanted(collector, mechanism, bpf->open_counters);
}

int collector_open(struct collector *collector)
{
    struct ledger *ledger = &collector->ledger;
    struct counter_set **opening;
    int r;

    if (!collector->may_open)
        return 0;
    if (!collector->between)
        admit_refused(collector);
    opening = reallocarray(collector->opening, ledger->n_entries + 1, sizeof(struct counter_set *));
    if (!opening)
        return -ENOMEM;
    collector->opening = opening;
    r = open_all(collector);
    if (r >= 0)
        r = collector_open_processes(collector);
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->counters && (ledger->entries[i]->is_new || !collector->between))
            note_absence(collector, ledger->entries[i]);
    return r;
}

/* read and derive */

void collector_read_entry(struct collector *collector, struct entry *entry)
{
    struct sample *sample = class_of(collector, entry)->sample;

    entry->is_new = false;
    counter_set_read(entry->counters, clock_monotonic_ns(), sample);
    account_update(entry->account, sample);
    entry->counted = entry->counted || sample_has_counted(sample);
    collector_note_moves(entry, sample);
    collector->may_open |= counter_set_is_incomplete(entry->counters) ||
                           counter_set_absence(entry->counters) != entry->uncounted;
    collector->status.targets[kind_of(collector, entry)] +=
        entry->counted && entry->uncounted == ABSENCE_NONE;
    if (collector->machine && entry->class_index == CLASS_CPU)
        sample_add(collector->resolution->classes[CLASS_MACHINE].sample, sample, false);
}

/* The machine's sum lacks a CPU: it has no rates then. */
static void miss_entry(struct collector *collector, const struct entry *entry)
{
    struct sample *sum = collector->resolution->classes[CLASS_MACHINE].sample;

    collector->may_open = true;
    if (collector->machine && entry->class_index == CLASS_CPU)
        for (size_t i = 0; i < sum->n_groups; i++)
            sum->groups[i].unknown = true;
}

void collector_read(struct collector *collector)
{
    struct entry *machine = collector->machine;

    collector_refresh(collector);
    collector_note_unfollowed(collector);
    collector->last_round_ns = clock_monotonic_ns();
    memset(collector->status.targets, 0, sizeof(collector->status.targets));
    collector->may_open = collector->orphans || collector->process_orphans;
    if (machine)
        sample_clear(class_of(collector, machine)->sample);
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry->group)
            collector_read_group(collector, entry);
        else if (entry->counters)
            collector_read_entry(collector, entry);
        else if (is_countable(collector, entry))
            miss_entry(collector, entry);
    }
    if (machine && machine->account)
        account_update(machine->account, class_of(collector, machine)->sample);
    else if (machine)
        collector->may_open = true;
    collector_read_cpu_time(collector);
}

/* publish */

static void add_census(const struct cgroup_census *census, struct exporter_status *status)
{
    for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++) {
        status->uncounted[SCOPE_CGROUP][reason] += census->uncounted[reason];
        status->dropped[SCOPE_CGROUP][reason] += census->dropped[reason];
    }
    status->cgroup_rescans += census->rescans;
    status->cgroup_watching = census->watching;
}

static void add_mechanism(const struct mechanism *mechanism, struct exporter_status *status)
{
    status->open_counters += mechanism->open_counters;
    status->reopened += mechanism->reopened;
    status->untold_switches += mechanism->doubt.untold_switches;
    status->unattributed_ns += mechanism->doubt.unattributed_ns;
}

void collector_status(const struct collector *collector, struct exporter_status *ret_status)
{
    *ret_status = collector->status;
    memset(ret_status->uncounted, 0, sizeof(ret_status->uncounted));
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];

        if (entry->uncounted != ABSENCE_NONE && !entry->group)
            ret_status->uncounted[kind_of(collector, entry)][entry->uncounted]++;
    }
    for (const struct cgroup_target *orphan = collector->orphans; orphan; orphan = orphan->next)
        ret_status->uncounted[SCOPE_CGROUP][ABSENCE_NO_DESCRIPTORS]++;
    if (collector->n_offline > 0)
        ret_status->uncounted[SCOPE_SYSTEM][ABSENCE_CPU_OFFLINE] +=
            collector->machine ? collector->n_offline
                               : 1; /* each a target, or one that lacks them */
    ret_status->open_counters = ret_status->reopened = 0;
    ret_status->untold_switches = ret_status->unattributed_ns = 0;
    add_mechanism(collector->setup.mechanism, ret_status);
    if (collector->setup.bpf)
        add_mechanism(collector->setup.bpf, ret_status);
    collector_budget_status(collector, ret_status);
    if (collector->cgroups)
        add_census(cgroup_targets_census(collector->cgroups), ret_status);
    collector_census_processes(collector, ret_status);
}

/* The root of all cgroups has a line of its own (collector_tell_cgroups). */
static uint64_t told_apart(const struct collector *collector, enum scope_kind kind,
                           enum absence reason)
{
    return kind == SCOPE_CGROUP && reason == ABSENCE_NOT_SUPPORTED && collector->cgroups &&
           cgroup_targets_census(collector->cgroups)->root_refused;
}

/*
 * Says once when targets begin to be left out for a reason; where that comes and goes, as with a
 * neighbour who takes the PMU each minute, more and more seldom.
 */
static void tell_uncounted(struct collector *collector, const struct exporter_status *status,
                           enum scope_kind kind)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        bool *const told = &collector->told[kind][reason];
        struct growing_wait *const wait = &collector->told_waits[kind][reason];
        const uint64_t uncounted =
            status->uncounted[kind][reason] - told_apart(collector, kind, reason);
        char n[24];

        *told = *told && uncounted > 0;
        if (*told || uncounted == 0 || !growing_wait_is_over(wait, collector->now_ns))
            continue;
        *told = true;
        growing_wait_begin(wait, collector->now_ns);
        (void)snprintf(n, sizeof(n), "%" PRIu64, uncounted);
        log_warning("targets are not counted", "kind", scope_kind_name(kind), "reason",
                    absence_name(reason), "targets", n, "hint",
                    absence_target_advice(kind, reason));
    }
}

static int publish(struct collector *collector)
{
    struct ledger *ledger = &collector->ledger;
    struct exporter_status status;
    struct snapshot *snapshot;

    if (ledger->changed || !collector->roster) {
        struct roster *roster;
        int r = ledger_roster(ledger, &roster);

        if (r < 0)
            return r;
        (void)roster_unref(collector->roster);
        collector->roster = roster;
    }
    collector_status(collector, &status);
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        tell_uncounted(collector, &status, kind);
    collector_tell_cgroups(collector, &status);
    collector_tell_processes(collector, &status);
    status.cycle_duration_ns = clock_monotonic_ns() - collector->now_ns;
    snapshot = snapshot_new(collector->roster, ledger->accounts, ledger->n_accounts, &status);
    if (!snapshot)
        return -ENOMEM;
    snapshot->taken_ns = clock_monotonic_ns();
    snapshot_slot_publish(collector->setup.slot, snapshot);
    return 0;
}

void collector_note_reload(struct collector *collector, bool good)
{
    collector->status.config_reload_good = good;
    if (good)
        collector->status.config_reload_realtime_ns = clock_realtime_ns();
}

size_t collector_n_cpus(const struct collector *collector)
{
    return collector->online->n;
}

void collector_note_doubt(struct collector *collector, double share)
{
    collector->status.unattributed_share = share;
}

void collector_pause(struct collector *collector, uint64_t end_realtime_ns)
{
    collector->setup.mechanism->paused = end_realtime_ns != 0;
    if (collector->setup.bpf)
        collector->setup.bpf->paused = end_realtime_ns != 0;
    collector->status.paused = end_realtime_ns != 0;
    collector->status.pause_end_realtime_ns = end_realtime_ns;
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry->counters)
            counter_set_follow_pause(entry->counters);
        if (entry->group)
            process_group_follow_pause(entry->group);
    }
}

bool collector_is_out_of_date(struct collector *collector)
{
    bool out_of_date = collector->out_of_date;

    collector->out_of_date = false;
    return out_of_date;
}

int collector_cycle(struct collector *collector, uint64_t missed)
{
    int discovered, opened, published;

    collector->now_ns = clock_monotonic_ns();
    collector->status.cycles++;
    collector->status.cycles_late += missed;
    collector_probe_again(collector);
    discovered = collector_discover(collector);
    opened = collector_open(collector);
    collector_read(collector);
    collector_look_for_moves(collector);
    published = publish(collector);
    memory_give_back(&collector->memory, collector->now_ns);
    if (published < 0)
        return published;
    return discovered < 0 ? discovered : opened;
}
