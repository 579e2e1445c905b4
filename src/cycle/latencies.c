/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/latencies.h"

#include "cycle/collector_parts.h"
#include "resolve/mechanism_size.h"

/* The latencies that the rule of an entry wants: a set of enum latency_kind. */
static unsigned wanted_of(const struct collector *collector, const struct entry *entry)
{
    const struct config *config = collector->setup.config;
    const size_t index = entry->class_index;

    if (index == CLASS_MACHINE)
        return config->system.latency;
    if (index >= CLASS_CGROUP && index < collector->resolution->first_process)
        return config->cgroups[index - CLASS_CGROUP].latency;
    if (index >= collector->resolution->first_process &&
        index < collector->resolution->first_uncore)
        return config->processes[index - collector->resolution->first_process].latency;
    return 0;
}

bool collector_wants_latencies(const struct collector *collector, const struct entry *entry)
{
    return collector->setup.latency && entry->account && !entry->gone_ns &&
           wanted_of(collector, entry) != 0;
}

/* One that is refused is not tried again: there is no room, or the cgroup is about to end. */
static void open_one(const struct collector *collector, struct entry *entry)
{
    const struct scope scope = {
        .kind = entry->cgroup ? SCOPE_CGROUP : SCOPE_SYSTEM,
        .cgroup_fd = entry->cgroup ? entry->cgroup->fd : -1,
    };

    entry->latencies_tried = true;
    (void)latency_meter_new(collector->setup.latency, &scope, &entry->latencies);
}

void collector_open_latencies(struct collector *collector, const struct round *round)
{
    for (size_t i = 0; i < collector->ledger.n_entries && collector->setup.latency; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (!entry->latencies_tried && !entry->latencies && !entry->group &&
            (entry->is_new || !round->between_cycles) &&
            collector_wants_latencies(collector, entry))
            open_one(collector, entry);
    }
}

void collector_adopt_latencies(const struct collector *collector, struct entry *entry,
                               struct entry *from)
{
    const struct mechanism *latency = collector->setup.latency;

    if (!collector_wants_latencies(collector, entry))
        return;
    if (entry->group)
        process_group_adopt_latencies(entry->group, from->group, latency);
    else if (!entry->latencies && from->latencies &&
             latency_meter_mechanism(from->latencies) == latency)
        entry->latencies = TAKE(from->latencies);
}

void collector_status_of_latencies(const struct collector *collector,
                                   struct exporter_status *status)
{
    const struct collector_setup *setup = &collector->setup;

    status->latency = (struct latency_status){.wanted = latency_wanted(setup->config),
                                              .reason = setup->latency_reason};
    status->latency_unknown = setup->latency ? mechanism_bpf_unknown_latencies(setup->latency) : 0;
}
