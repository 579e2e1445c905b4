/* SPDX-License-Identifier: Apache-2.0 */

/* The last stage: an immutable snapshot takes the place of the one before, for whoever scrapes. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/cpu_times.h"
#include "cycle/latencies.h"
#include "cycle/process_member.h"
#include "cycle/stages.h"

static void add_cgroups(const struct collector *collector, struct exporter_status *status)
{
    const struct cgroup_census *census;

    if (!collector->cgroups.targets)
        return;
    census = cgroup_targets_census(collector->cgroups.targets);
    for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++) {
        status->uncounted[SCOPE_CGROUP][reason] += census->uncounted[reason];
        status->dropped[SCOPE_CGROUP][reason] += census->dropped[reason];
    }
    status->cgroup_rescans += census->rescans;
    status->cgroup_watching = census->watching;
}

/* Adds the members of groups that are not counted, or not as a whole. */
static void add_members(const struct collector *collector, struct exporter_status *status)
{
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];
        const struct process_member *member = entry_is_awake(entry) ? entry->group->members : NULL;

        for (; member; member = member->next) {
            enum absence reason =
                entry->account ? process_member_absence(member) : entry->uncounted;

            status->uncounted[SCOPE_PROCESS][reason] += reason != ABSENCE_NONE;
        }
    }
}

static void add_processes(const struct collector *collector, struct exporter_status *status)
{
    const struct process_census *census;

    status->processes_hidden = NUMBER_ABSENT_COUNT;
    if (!collector->processes.targets)
        return;
    census = process_targets_census(collector->processes.targets);
    for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++) {
        status->uncounted[SCOPE_PROCESS][reason] += census->uncounted[reason];
        status->dropped[SCOPE_PROCESS][reason] += census->dropped[reason];
    }
    status->process_rescans += census->rescans;
    status->process_record_losses += census->losses;
    status->processes_put_off += census->put_off;
    status->processes_undecided += census->undecided;
    status->process_watching = census->watching;
    status->processes_hidden = census->hidden;
    add_members(collector, status);
}

static void add_mechanism(const struct mechanism *mechanism, struct exporter_status *status)
{
    status->open_counters += mechanism->open_counters;
    status->reopened += mechanism->reopened;
    status->untold_switches += mechanism->doubt.untold_switches;
    status->unattributed_ns += mechanism->doubt.unattributed_ns;
}

/* Each CPU that is offline is a target that is not counted, or the machine is one without it. */
static size_t count_without_cpu(const struct collector *collector)
{
    if (collector->machine.is_sum || collector->cpus.n_offline == 0)
        return collector->cpus.n_offline;
    return 1;
}

void collector_status(const struct collector *collector, struct exporter_status *ret_status)
{
    *ret_status = collector->status;
    memset(ret_status->uncounted, 0, sizeof(ret_status->uncounted));
    memcpy(ret_status->targets, collector->readings.n_counted, sizeof(ret_status->targets));
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];

        if (entry->uncounted != ABSENCE_NONE && !entry->group)
            ret_status->uncounted[collector_class(collector, entry)->kind][entry->uncounted]++;
    }
    ret_status->uncounted[SCOPE_SYSTEM][ABSENCE_CPU_OFFLINE] += count_without_cpu(collector);
    ret_status->target_descriptors = collector_target_descriptors(collector);
    ret_status->open_counters = ret_status->reopened = 0;
    ret_status->untold_switches = ret_status->unattributed_ns = 0;
    add_mechanism(collector->setup.direct, ret_status);
    if (collector->setup.bpf)
        add_mechanism(collector->setup.bpf, ret_status);
    collector_status_of_latencies(collector, ret_status);
    if (collector->setup.profile_status)
        ret_status->profile = profile_status_slot_get(collector->setup.profile_status);
    pmu_grants_status(&collector->pmu, ret_status);
    add_cgroups(collector, ret_status);
    add_processes(collector, ret_status);
}

/* A new roster is made only where targets came, went or were renamed. 0 or -ENOMEM. */
static int renew_roster(struct collector *collector)
{
    struct roster *roster;
    int r;

    if (!collector->ledger.changed && collector->roster)
        return 0;
    r = ledger_roster(&collector->ledger, &roster);
    if (r < 0)
        return r;
    (void)roster_unref(collector->roster);
    collector->roster = roster;
    return 0;
}

int collector_publish(struct collector *collector, const struct round *round)
{
    const struct ledger *ledger = &collector->ledger;
    struct exporter_status status;
    struct snapshot *snapshot;
    int r = renew_roster(collector);

    if (r < 0)
        return r;
    collector_status(collector, &status);
    collector_notify(collector, &status, round->now_ns);
    status.cycle_duration_ns = clock_monotonic_ns() - round->now_ns;
    snapshot = snapshot_new(collector->roster, ledger->accounts, ledger->n_accounts, &status);
    if (!snapshot)
        return -ENOMEM;
    snapshot->taken_ns = clock_monotonic_ns();
    snapshot->taken_realtime_ns = clock_realtime_ns();
    snapshot->cpus = collector_cpu_times(collector, snapshot->taken_realtime_ns);
    snapshot_slot_publish(collector->setup.slot, snapshot);
    return 0;
}
