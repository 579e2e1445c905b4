/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One cycle, in this order: discover, so that what has ended is read once more
 * and closed, and what is new is opened; read and derive; publish. A failure in a
 * stage leaves the others their work: numbers that stand are never thrown away
 * for what could not be done about others.
 */
#include "app/collector.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/collector_state.h"
#include "app/log.h"
#include "base/clock.h"
#include "target/cgroup_path.h"

static struct target_class *class_of(const struct collector *collector, const struct entry *entry)
{
    return &collector->counting->classes[entry->class_index];
}

/* discover */

/* A label that does not hold the whole path is told once, with the path. */
static void tell_cut_label(const struct cgroup_target *target)
{
    size_t n;
    const struct label *labels = identity_labels(target->identity, &n);

    if (n > 0 && cgroup_label_is_cut(labels[0].value))
        log_info("label of a cgroup is shortened", "label", labels[0].value, "path", target->path);
}

static void enter_cgroup(struct collector *collector, struct cgroup_target *target)
{
    struct entry *entry;

    tell_cut_label(target);
    ledger_replace(&collector->ledger, target->path);
    if (ledger_add(&collector->ledger, CLASS_CGROUP + (size_t)target->rule, target, NULL,
                   target->start_realtime_ns, &entry) < 0)
        return; /* no memory: the target stands without an entry, until it ends */
    target->account = entry;
    entry->cpus = collector->online;
    if (entry->account)
        (void)collector_make_counters(collector, entry);
    else
        collector->status.dropped[entry->uncounted]++;
}

static void end_cgroup(struct collector *collector, struct cgroup_target *target)
{
    struct entry *entry = target->account;

    if (!entry) {
        cgroup_targets_release(collector->cgroups, target);
        return;
    }
    if (entry->counters) {
        struct sample *sample = class_of(collector, entry)->sample;

        counter_set_read(entry->counters, clock_monotonic_ns(), sample);
        account_update(entry->account, sample);
    }
    ledger_linger(&collector->ledger, entry, collector->now_ns);
}

static int discover(struct collector *collector)
{
    struct cgroup_changes changes;
    int r;

    if (!collector->cgroups)
        return 0;
    r = cgroup_targets_update(collector->cgroups, &changes);
    if (r < 0)
        return r;
    for (size_t i = 0; i < changes.n_gone; i++)
        end_cgroup(collector, changes.gone[i]);
    for (size_t i = 0; i < changes.n_born; i++)
        enter_cgroup(collector, changes.born[i]);
    if (changes.n_born > 0)
        collector->open_all = true;
    if (changes.identities_changed)
        ledger_rename(&collector->ledger);
    ledger_retire(&collector->ledger, collector->now_ns, collector->setup.config->linger_ns);
    return 0;
}

/* open */

static void want_open(struct collector *collector, struct entry *entry)
{
    if (entry->gone_ns || entry == collector->machine)
        return;
    if (!entry->account)
        (void)ledger_admit(&collector->ledger, entry, clock_realtime_ns());
    if (entry->account && !entry->counters)
        (void)collector_make_counters(collector, entry);
    if (entry->counters && counter_set_wants_open(entry->counters, collector->now_ns))
        collector->opening[collector->n_opening++] = entry->counters;
}

/* Notes why a target is not counted, and counts it once each time that it begins. */
static void note_absence(struct collector *collector, struct entry *entry)
{
    enum absence reason = counter_set_absence(entry->counters);

    if (reason != ABSENCE_NONE && entry->uncounted != reason)
        collector->status.dropped[reason]++;
    entry->uncounted = reason;
}

/* What the directories of targets leave to counters. */
static size_t counter_descriptors(const struct collector *collector)
{
    size_t directories = collector->cgroups ? cgroup_targets_count(collector->cgroups) : 0;
    size_t all = collector->setup.descriptors;

    return all > directories ? all - directories : 0;
}

static int open_wanted(struct collector *collector)
{
    struct ledger *ledger = &collector->ledger;
    struct counter_set **opening;
    int r;

    if (!collector->open_all)
        return 0;
    opening = reallocarray(collector->opening, ledger->n_entries + 1, sizeof(struct counter_set *));
    if (!opening)
        return -ENOMEM;
    collector->opening = opening;
    collector->n_opening = 0;
    for (size_t i = 0; i < ledger->n_entries; i++)
        want_open(collector, ledger->entries[i]);
    if (collector->n_opening == 0)
        return 0;
    collector->mechanism->descriptors = counter_descriptors(collector);
    r = collector->mechanism->open(collector->mechanism, opening, collector->n_opening);
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->counters)
            note_absence(collector, ledger->entries[i]);
    return r;
}

/* read and derive */

static void read_entry(struct collector *collector, struct entry *entry)
{
    struct sample *sample = class_of(collector, entry)->sample;

    counter_set_read(entry->counters, clock_monotonic_ns(), sample);
    account_update(entry->account, sample);
    if (collector->machine && entry->class_index == CLASS_CPU)
        sample_add(collector->counting->classes[CLASS_MACHINE].sample, sample);
}

static void read_all(struct collector *collector)
{
    struct exporter_status *status = &collector->status;
    struct entry *machine = collector->machine;

    status->targets_cgroup = 0;
    collector->open_all = false;
    if (machine)
        sample_clear(class_of(collector, machine)->sample);
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry->counters) {
            read_entry(collector, entry);
            collector->open_all |= counter_set_is_incomplete(entry->counters);
            entry->counted |= entry->uncounted == ABSENCE_NONE;
            status->targets_cgroup += entry->cgroup && entry->uncounted == ABSENCE_NONE;
        } else if (entry->uncounted != ABSENCE_NONE) {
            collector->open_all = true;
        }
    }
    if (machine)
        account_update(machine->account, class_of(collector, machine)->sample);
}

/* publish */

static void count_uncounted(struct collector *collector, struct exporter_status *status)
{
    memset(status->uncounted, 0, sizeof(status->uncounted));
    for (size_t i = 0; i < collector->ledger.n_entries; i++)
        status->uncounted[collector->ledger.entries[i]->uncounted]++;
    status->uncounted[ABSENCE_NONE] = 0;
}

/* What the collector itself counts, and what others have counted for it. */
static void tell_status(struct collector *collector, struct exporter_status *status)
{
    *status = collector->status;
    count_uncounted(collector, status);
    status->open_counters = collector->mechanism->open_counters;
    status->reopened = collector->mechanism->reopened;
    status->cycle_duration_ns = clock_monotonic_ns() - collector->now_ns;
    if (collector->cgroups) {
        const struct cgroup_census *census = cgroup_targets_census(collector->cgroups);

        for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++) {
            status->uncounted[reason] += census->uncounted[reason];
            status->dropped[reason] += census->dropped[reason];
        }
        status->cgroup_rescans = census->rescans;
    }
}

/* Says once when targets begin to be left out for a reason. */
static void tell_uncounted(struct collector *collector, const struct exporter_status *status)
{
    for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
        bool told = collector->told[reason];
        char n[24];

        collector->told[reason] = status->uncounted[reason] > 0;
        if (told || !collector->told[reason])
            continue;
        (void)snprintf(n, sizeof(n), "%" PRIu64, status->uncounted[reason]);
        log_warning("targets are not counted", "kind", "cgroup", "reason", absence_name(reason),
                    "targets", n);
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
    tell_status(collector, &status);
    tell_uncounted(collector, &status);
    snapshot = snapshot_new(collector->roster, ledger->accounts, ledger->n_accounts, &status);
    if (!snapshot)
        return -ENOMEM;
    snapshot->taken_ns = clock_monotonic_ns();
    snapshot_slot_publish(collector->setup.slot, snapshot);
    return 0;
}

int collector_cycle(struct collector *collector, uint64_t missed)
{
    int discovered, opened, published;

    collector->now_ns = clock_monotonic_ns();
    collector->status.cycles++;
    collector->status.cycles_late += missed;
    collector_probe_again(collector);
    discovered = discover(collector);
    opened = open_wanted(collector);
    read_all(collector);
    published = publish(collector);
    if (published < 0)
        return published;
    return discovered < 0 ? discovered : opened;
}
