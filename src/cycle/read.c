/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The third and fourth stages. A target's totals, rates and ratios are derived as soon as it is
 * read: the sample of a reading is one for each class, not one for each target, so that memory does
 * not grow with them.
 */

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/entry_counters.h"
#include "cycle/process_member.h"
#include "cycle/profiles.h"
#include "cycle/stages.h"

void collector_read_entry(struct collector *collector, struct entry *entry,
                          struct readings *readings)
{
    const struct target_class *class = collector_class(collector, entry);
    struct sample *sample = class->sample;

    entry->is_new = false;
    counter_set_read(entry->counters, clock_monotonic_ns(), sample);
    if (entry->latencies)
        latency_meter_read(entry->latencies, sample);
    account_update(entry->account, sample);
    collector_read_profile(collector, entry);
    entry->counted = entry->counted || sample_has_counted(sample);
    movement_note(entry, sample);
    readings->wants_open |= counter_set_is_incomplete(entry->counters) ||
                            counter_set_absence(entry->counters) != entry->uncounted;
    readings->n_counted[class->kind] += entry->counted && entry->uncounted == ABSENCE_NONE;
    collector_add_to_machine(collector, entry, sample);
}

/*
 * Adds the members that are counted as a whole to the readings, and one to the dropped for each
 * other member, each time that it begins not to be.
 */
static void note_members(struct collector *collector, const struct process_group *group,
                         struct readings *readings)
{
    for (struct process_member *member = group->members; member; member = member->next) {
        enum absence absence = process_member_absence(member);

        if (absence != ABSENCE_NONE && absence != member->noted_absence)
            collector->status.dropped[SCOPE_PROCESS][absence]++;
        member->noted_absence = absence;
        readings->n_counted[SCOPE_PROCESS] += process_member_is_counted(member);
    }
}

void collector_read_group(struct collector *collector, struct entry *entry,
                          struct readings *readings)
{
    const struct target_class *class = collector_class(collector, entry);
    uint64_t start_ns, n;

    if (!entry_is_awake(entry))
        return;
    process_group_read(entry->group, collector->processes.targets, clock_monotonic_ns(),
                       class->part, class->sample);
    readings->wants_open |= process_group_is_incomplete(entry->group) ||
                            (collector_follows_threads(collector) && entry->group->members);
    if (!entry->account)
        return;
    account_update(entry->account, class->sample);
    collector_read_profile(collector, entry);
    n = process_group_count(entry->group, &start_ns);
    account_set_members(entry->account, n, start_ns);
    if (n == 0)
        account_end(entry->account);
    entry->counted = entry->counted || sample_has_counted(class->sample);
    note_members(collector, entry->group, readings);
}

struct readings collector_read_and_derive(struct collector *collector)
{
    struct readings readings = {0};

    setup_refresh(&collector->setup);
    collector_note_unfollowed(collector);
    readings.at_ns = clock_monotonic_ns();
    collector_clear_machine(collector);
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry->group) {
            collector_read_group(collector, entry, &readings);
        } else if (entry->counters) {
            collector_read_entry(collector, entry, &readings);
        } else if (collector_counts_entry(collector, entry)) {
            collector_miss_in_machine(collector, entry);
            readings.wants_open = true;
        }
    }
    readings.wants_open |= !collector_derive_machine(collector);
    return readings;
}
