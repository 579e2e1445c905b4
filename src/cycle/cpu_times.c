/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/cpu_times.h"

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/process_times.h"
#include "sys/cpu_time.h"

#define EVERY_NS (10 * NS_PER_SECOND)

/* Whether nothing of the entry counts in a pause: then nobody knows where it ran meanwhile. */
static bool rests_in_pauses(const struct collector *collector, const struct entry *entry)
{
    const struct target_class *class = collector_class(collector, entry);
    const struct event_groups *groups =
        entry->over_budget ? class->without_counters : class->groups;

    for (size_t i = 0; i < groups->n_groups; i++)
        if (groups->groups[i].n_opened > 0 && !event_group_is_paused_with_pmu(&groups->groups[i]))
            return false;
    return true;
}

/*
 * Where a part of the group is not counted its times would be too short, and where threads are
 * counted, nothing tells where they ran.
 */
static void add_group(const struct collector *collector, const struct entry *entry,
                      uint64_t *ran_ns)
{
    if (setup_mechanism(&collector->setup, SCOPE_PROCESS)->counts_processes &&
        !process_group_is_incomplete(entry->group))
        process_times_read(entry->group, collector->cpus.online, ran_ns);
}

static void add_entry(const struct collector *collector, const struct entry *entry,
                      uint64_t *ran_ns)
{
    const struct cpu_list *cpus = collector->cpus.online;
    const bool missed = collector->cpu_times_missed || collector->setup.direct->paused;

    if (entry == collector->machine.entry)
        (void)cpu_time_read_each(collector->setup.procfs_fd, cpus, ran_ns, NULL);
    else if (missed && rests_in_pauses(collector, entry))
        return;
    else if (entry->group)
        add_group(collector, entry, ran_ns);
    else if (entry->counters && counter_set_scope(entry->counters)->kind == SCOPE_CGROUP)
        counter_set_add_ran(entry->counters, cpus, ran_ns);
}

/*
 * The place of an account in the roster. Entries are mostly in the same order; one without an
 * account may have left since, and then the last one has taken its place.
 */
static size_t find_account(const struct ledger *ledger, const struct account *account, size_t first)
{
    for (size_t i = 0; i < ledger->n_accounts; i++) {
        const size_t at = (first + i) % ledger->n_accounts;

        if (ledger->accounts[at] == account)
            return at;
    }
    return SIZE_MAX;
}

struct snapshot_cpus *collector_cpu_times(struct collector *collector, uint64_t realtime_ns)
{
    const struct ledger *ledger = &collector->ledger;
    struct snapshot_cpus *times;
    size_t next = 0;

    if (realtime_ns / EVERY_NS == collector->cpu_times_slot)
        return NULL;
    collector->cpu_times_slot = realtime_ns / EVERY_NS;
    times = snapshot_cpus_new(collector->roster, collector->cpus.online);
    if (!times)
        return NULL;
    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct entry *entry = ledger->entries[i];
        const size_t at = entry->account ? find_account(ledger, entry->account, next) : SIZE_MAX;

        if (at == SIZE_MAX)
            continue;
        add_entry(collector, entry, snapshot_cpus_row(times, collector->roster, at));
        next = at + 1;
    }
    collector->cpu_times_missed = false;
    return times;
}
