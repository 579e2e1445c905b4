/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The counters are given out for the depth at which cgroups nest when a collector is made. A chain
 * of nested cgroups that becomes longer later has what is left: the newcomers in it do without
 * counters of the PMU, and those that have counters keep them.
 */
#include "cycle/pmu_grants.h"

#include <string.h>

#include "cycle/collector_parts.h"
#include "cycle/entry_counters.h"
#include "target/cgroup_nesting.h"

/* The living cgroups whose class takes counters of the PMU. NULL if there is no memory. */
static struct nested_cgroup *list_nested(const struct collector *collector, size_t *ret_n)
{
    const struct ledger *ledger = &collector->ledger;
    struct nested_cgroup *nested = calloc(ledger->n_entries + 1, sizeof(*nested));
    size_t n = 0;

    for (size_t i = 0; nested && i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[i];

        if (!entry->cgroup || !entry->account ||
            !collector_class(collector, entry)->without_counters)
            continue;
        nested[n++] =
            (struct nested_cgroup){.path = entry->cgroup->path,
                                   .counters = collector_class(collector, entry)->n_counters,
                                   .holds = !entry->over_budget,
                                   .owner = entry};
    }
    *ret_n = n;
    return nested;
}

static bool has_parent(const struct identity *identity)
{
    size_t n;
    const struct label *info = identity_info(identity, &n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(info[i].name, "parent") == 0)
            return *info[i].value != '\0';
    return false;
}

/*
 * Mostly no counted cgroup is below another one. Then each has what its class was granted, and
 * nothing need be sorted. Returns false if one is.
 */
static bool admit_unless_nested(struct nested_cgroup *nested, size_t n, size_t *ret_longest)
{
    size_t longest = 0;

    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = nested[i].owner;

        if (has_parent(entry->cgroup->identity))
            return false;
        longest = nested[i].counters > longest ? nested[i].counters : longest;
    }
    for (size_t i = 0; i < n; i++)
        nested[i].holds = true;
    *ret_longest = longest;
    return true;
}

/*
 * Replaces counters without those of the PMU by all of them, which go on with what is open. Returns
 * true if they are to be opened; a cgroup that has no counters at all gets its own with all others
 * that have none.
 */
static bool give_counters(struct collector *collector, struct entry *entry)
{
    struct counter_set *before = TAKE(entry->counters);

    entry->over_budget = false;
    if (!before)
        return false;
    if (collector_make_counters(collector, entry) < 0) {
        entry->counters = before;
        entry->over_budget = true;
        return false;
    }
    counter_set_adopt(entry->counters, before, NULL);
    (void)counter_set_free(before);
    return true;
}

bool collector_grant_counters(struct collector *collector, bool cgroups_changed)
{
    struct pmu_grants *grants = &collector->pmu;
    const struct pmu_division *division = &grants->share.division;
    AUTO_FREE struct nested_cgroup *nested = NULL;
    bool wants_open = false;
    size_t n;

    grants->out_of_date |= cgroups_changed;
    if (!grants->out_of_date || !grants->share.is_wanted ||
        grants->share.budget == PMU_COUNTERS_ALL)
        return false;
    nested = list_nested(collector, &n);
    if (!nested)
        return false; /* the next round tries it again */
    grants->out_of_date = false;
    if (!admit_unless_nested(nested, n, &grants->longest_chain))
        grants->longest_chain = cgroup_nesting_admit(
            nested, n, grants->share.budget - division->processes - division->system);
    for (size_t i = 0; i < n; i++) {
        struct entry *entry = nested[i].owner;

        if (nested[i].holds && entry->over_budget)
            wants_open |= give_counters(collector, entry);
    }
    return wants_open;
}

void pmu_grants_status(const struct pmu_grants *grants, struct exporter_status *status)
{
    const struct pmu_share *share = &grants->share;
    size_t cgroups = share->division.cgroups;

    status->pmu_free = status->pmu_budget = status->pmu_used = NUMBER_ABSENT_COUNT;
    if (!share->is_wanted)
        return;
    if (grants->longest_chain > cgroups)
        cgroups = grants->longest_chain;
    if (share->is_measured)
        status->pmu_free = share->n_free;
    if (share->budget != PMU_COUNTERS_ALL)
        status->pmu_budget = share->budget;
    status->pmu_used = share->division.processes + cgroups + share->division.system;
}
