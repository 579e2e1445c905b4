/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/entry_counters.h"

#include "cycle/collector_parts.h"

bool collector_counts_entry(const struct collector *collector, const struct entry *entry)
{
    return !entry->gone_ns && !entry->group && !machine_is_sum(&collector->machine, entry);
}

int collector_make_counters(struct collector *collector, struct entry *entry)
{
    const struct target_class *class = collector_class(collector, entry);
    const struct scope scope = {
        .kind = class->kind,
        .cgroup_fd = entry->cgroup ? entry->cgroup->fd : -1,
        .cpus = entry->cpus,
        .hybrid = pmu_list_if_hybrid(collector->cpus.pmus),
        .pmu_types = entry->uncore ? entry->uncore->types : NULL,
    };

    return counter_set_new(collector_mechanism(&collector->setup, class),
                           entry->over_budget ? class->without_counters : class->groups, &scope,
                           &entry->counters);
}
