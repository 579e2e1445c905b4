/* SPDX-License-Identifier: Apache-2.0 */
#include "app/counting_budget.h"

#include <errno.h>

#include "count/pmu_probe.h"

/* The absences that stand, one for each event of all groups. NULL: no memory. */
static enum absence *list_absences(const struct event_groups *groups)
{
    enum absence *absences = calloc(groups->n_events + 1, sizeof(*absences));

    if (absences)
        event_groups_absences(groups, absences);
    return absences;
}

static bool is_candidate(const struct group_member *member)
{
    return member->event->takes_counter &&
           (member->absence == ABSENCE_NONE || member->absence == ABSENCE_OVER_BUDGET);
}

static bool is_listed(const struct event *const *events, size_t n, const struct event *event)
{
    for (size_t i = 0; i < n; i++)
        if (events[i] == event)
            return true;
    return false;
}

/* Each event once that some class can count and that takes a counter. */
static size_t list_candidates(const struct counting *counting, const struct event **events)
{
    size_t n = 0;

    for (size_t i = 0; i < counting->n_classes; i++) {
        const struct event_groups *groups = counting->classes[i].groups;

        for (size_t g = 0; groups && g < groups->n_groups; g++)
            for (size_t m = 0; m < groups->groups[g].n_members; m++) {
                const struct group_member *member = &groups->groups[g].members[m];

                if (is_candidate(member) && !is_listed(events, n, member->event))
                    events[n++] = member->event;
            }
    }
    return n;
}

bool counting_wants_counters(const struct counting *counting)
{
    for (size_t i = 0; i < counting->n_classes; i++) {
        const struct event_groups *groups = counting->classes[i].groups;

        for (size_t g = 0; groups && g < groups->n_groups; g++)
            for (size_t m = 0; m < groups->groups[g].n_members; m++)
                if (is_candidate(&groups->groups[g].members[m]))
                    return true;
    }
    return false;
}

int counting_find_free(const struct counting *counting, const struct perf_ops *ops,
                       const struct cpu_list *cpus, size_t *ret_free)
{
    AUTO_FREE const struct event **events = calloc(counting->n_events + 1, sizeof(*events));

    if (!events)
        return -ENOMEM;
    if (cpus->n == 0)
        return -ENODEV;
    return pmu_probe_free(ops, events, list_candidates(counting, events), cpus, ret_free);
}

size_t counting_budget(const struct config *config, size_t n_free)
{
    if (config->limits.pmu_counters == CONFIG_ALL_COUNTERS)
        return PMU_COUNTERS_ALL;
    return config->limits.pmu_counters ? (size_t)config->limits.pmu_counters
                                       : pmu_budget_half(n_free);
}

/* The claims of the classes that have groups, in their order. */
static int list_claims(const struct counting *counting, struct pmu_claim *claims, size_t *ret_n)
{
    size_t n = 0;

    for (size_t i = 0; i < counting->n_classes; i++) {
        const struct event_groups *groups = counting->classes[i].groups;
        AUTO_FREE enum absence *absences = groups ? list_absences(groups) : NULL;

        if (!groups)
            continue;
        if (!absences)
            return -ENOMEM;
        claims[n++] = (struct pmu_claim){.kind = groups->kind,
                                         .wanted = event_groups_wanted_counters(groups, absences)};
    }
    *ret_n = n;
    return 0;
}

/* What a nested cgroup gets for which nothing is left. */
static int make_substitute(struct target_class *class, bool may_be_refused)
{
    class->without_counters = event_groups_free(class->without_counters);
    if (class->groups->kind != SCOPE_CGROUP || class->n_counters == 0 || !may_be_refused)
        return 0;
    return event_groups_without_counters(class->groups, &class->without_counters);
}

static int grant(struct counting *counting, size_t class_index, size_t granted, bool is_limited)
{
    struct target_class *class = &counting->classes[class_index];
    AUTO_FREE enum absence *absences = list_absences(class->groups);
    int r;

    if (!absences)
        return -ENOMEM;
    event_groups_grant_counters(class->groups, granted, absences);
    class->n_counters = granted;
    r = counting_apply(counting, class_index, absences);
    return r < 0 ? r : make_substitute(class, is_limited);
}

int counting_divide(struct counting *counting, const struct pmu_chains *chains,
                    struct pmu_share *share)
{
    AUTO_FREE struct pmu_claim *claims = calloc(counting->n_classes + 1, sizeof(*claims));
    const bool is_limited = share->budget != PMU_COUNTERS_ALL;
    size_t n = 0;
    int r = claims ? list_claims(counting, claims, &n) : -ENOMEM;

    if (r < 0)
        return r;
    counting->pmu_is_taken = is_limited && share->is_measured && share->n_free == 0;
    pmu_budget_divide(share->budget, claims, n, chains, &share->division);
    n = 0;
    for (size_t i = 0; i < counting->n_classes && r >= 0; i++)
        if (counting->classes[i].groups)
            r = grant(counting, i, claims[n++].granted, is_limited);
    return r;
}
