/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How many counters are free is found before anything of ours is counted. Later our own counters,
 * which come and go with the cgroups that run, could not be distinguished from those of others. So
 * a successor takes the number over, unless the predecessor counts nothing on the PMU.
 *
 * How deep cgroups nest is looked up when a collector is made, and the counters are given out for
 * that depth. A chain of nested cgroups that becomes longer later has what is left: the newcomers
 * in it do without counters of the PMU, and those that have counters keep them.
 */
#include "cycle/pmu_grants.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cycle/collector_parts.h"
#include "cycle/entry_counters.h"
#include "log/log.h"
#include "target/cgroup_nesting.h"

/* NULL: nothing nests, or it cannot be read. Where cgroups share counters it does not matter. */
static struct pmu_chains *read_chains(const struct collector *collector)
{
    struct pmu_chains *chains = NULL;

    if (collector->cgroups.rules && !setup_shares_counters(&collector->setup, SCOPE_CGROUP) &&
        cgroup_nesting_read(collector->setup.cgroup_root_fd, collector->cgroups.rules,
                            collector->setup.config->n_cgroups, &chains) < 0)
        return NULL;
    return chains;
}

/*
 * Returns false where it cannot be found out, as in a pause, in which nothing may count. Where
 * nothing is granted because of that, it is sought again when the pause is over.
 */
static bool find_free(struct collector *collector, const struct pmu_share *before)
{
    const bool is_paused = collector->setup.direct->paused;
    struct pmu_share *share = &collector->pmu.share;

    if (before && (is_paused || pmu_division_sum(&before->division) > 0)) {
        share->n_free = before->n_free;
        return before->is_measured;
    }
    if (is_paused)
        return false;
    return resolution_find_free(collector->resolution, collector->setup.perf,
                                collector->cpus.online, &share->n_free) >= 0;
}

static const char *number(size_t n, char buffer[static 24])
{
    (void)snprintf(buffer, 24, "%zu", n);
    return buffer;
}

static bool same_share(const struct pmu_share *a, const struct pmu_share *b)
{
    return a->is_wanted && b->is_wanted && a->is_measured == b->is_measured &&
           a->n_free == b->n_free && a->budget == b->budget &&
           memcmp(&a->division, &b->division, sizeof(a->division)) == 0;
}

static void log_share(const struct pmu_share *share)
{
    char n_free[24], budget[24], processes[24], cgroups[24], system[24];
    const char *found = share->is_measured ? number(share->n_free, n_free) : "unknown";

    (void)number(share->division.processes, processes);
    (void)number(share->division.cgroups, cgroups);
    (void)number(share->division.system, system);
    if (share->budget == PMU_COUNTERS_ALL)
        log_warning("limits.pmu_counters is all: others that count tasks have what is left, and "
                    "turns where nothing is",
                    "free", found, "processes", processes, "cgroups", cgroups, "system", system);
    else
        log_info("counters of the PMU on each CPU", "free", found, "budget",
                 number(share->budget, budget), "processes", processes, "cgroups", cgroups,
                 "system", system);
}

int collector_divide_counters(struct collector *collector, const struct pmu_grants *before)
{
    struct pmu_share *share = &collector->pmu.share;
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;
    int r;

    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        share->is_shared[kind] = setup_shares_counters(&collector->setup, kind);
    share->is_wanted = resolution_wants_counters(collector->resolution);
    if (!share->is_wanted)
        return 0;
    share->is_measured = find_free(collector, before ? &before->share : NULL);
    share->budget = resolution_budget(collector->setup.config, share->n_free);
    chains = read_chains(collector);
    r = resolution_divide(collector->resolution, chains, share);
    if (r >= 0 && !(before && same_share(share, &before->share)))
        log_share(share);
    return r;
}

bool collector_may_grant_more(const struct collector *collector)
{
    const struct pmu_share *share = &collector->pmu.share;
    size_t n_free;

    if (!share->is_wanted || pmu_division_sum(&share->division) > 0 ||
        collector->setup.direct->paused)
        return false;
    return resolution_find_free(collector->resolution, collector->setup.perf,
                                collector->cpus.online, &n_free) >= 0 &&
           resolution_budget(collector->setup.config, n_free) > share->budget;
}

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
