/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_budget.h"

#include <errno.h>

#include "count/pmu_probe.h"

/* The absences of all events of the groups, as they are now. NULL: no memory. */
static enum absence *list_absences(const struct event_groups *groups)
{
    enum absence *absences = calloc(groups->n_events + 1, sizeof(*absences));

    if (absences)
        event_groups_absences(groups, absences);
    return absences;
}

/* Whether the event takes a counter and may be counted, if our budget allows it. */
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

/* Whether cores of this kind have the event; NULL: there is one kind. */
static bool is_on(const struct event *event, const struct pmu *core)
{
    return !core || event->code.core_type == 0 || event->code.core_type == core->type;
}

/*
 * Lists each candidate of a kind of cores once. `events` has room for all events of the
 * configuration.
 */
static size_t list_candidates(const struct resolution *resolution, const struct pmu *core,
                              const struct event **events)
{
    size_t n = 0;

    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        for (size_t g = 0; groups && g < groups->n_groups; g++)
            for (size_t m = 0; m < groups->groups[g].n_members; m++) {
                const struct group_member *member = &groups->groups[g].members[m];

                if (is_candidate(member) && is_on(member->event, core) &&
                    !is_listed(events, n, member->event))
                    events[n++] = member->event;
            }
    }
    return n;
}

bool resolution_wants_counters(const struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        for (size_t g = 0; groups && g < groups->n_groups; g++)
            for (size_t m = 0; m < groups->groups[g].n_members; m++)
                if (is_candidate(&groups->groups[g].members[m]))
                    return true;
    }
    return false;
}

/* Finds how many are free on a CPU, which is of this kind of core; NULL: there is one kind. */
static int find_free_on(const struct resolution *resolution, const struct perf_ops *ops,
                        struct cpu_number cpu, const struct pmu_list *hybrid,
                        const struct pmu *core, size_t *ret_free)
{
    AUTO_FREE const struct event **events = calloc(resolution->n_events + 1, sizeof(*events));
    AUTO(cpu_list) struct cpu_list *cpus = malloc(sizeof(*cpus) + sizeof(cpu));

    if (!events || !cpus)
        return -ENOMEM;
    cpus->n = 1;
    cpus->cpus[0] = cpu;
    return pmu_probe_free(ops, events, list_candidates(resolution, core, events), cpus, hybrid,
                          ret_free);
}

/* Whether one of our events could be counted on this kind of cores. */
static bool has_candidates(const struct resolution *resolution, const struct pmu *core)
{
    AUTO_FREE const struct event **events = calloc(resolution->n_events + 1, sizeof(*events));

    return events && list_candidates(resolution, core, events) > 0;
}

/* The index of the first of the CPUs that is of this kind; n: there is none. */
static size_t first_cpu_of(const struct pmu *core, const struct pmu_list *hybrid,
                           const struct cpu_list *cpus)
{
    size_t i = 0;

    while (i < cpus->n && pmu_list_core_of(hybrid, cpus->cpus[i]) != core)
        i++;
    return i;
}

int resolution_find_free(const struct resolution *resolution, const struct perf_ops *ops,
                         const struct cpu_list *cpus, const struct pmu_list *hybrid,
                         size_t *ret_free)
{
    const size_t n_cores = hybrid ? pmu_list_n_cores(hybrid) : 0;
    size_t least = SIZE_MAX;

    if (cpus->n == 0)
        return -ENODEV;
    if (!hybrid)
        return find_free_on(resolution, ops, cpus->cpus[0], NULL, NULL, ret_free);
    for (size_t i = 0; i < n_cores; i++) {
        const struct pmu *core = pmu_list_nth_core(hybrid, i);
        const size_t first = first_cpu_of(core, hybrid, cpus);
        size_t n_free;
        int r;

        if (first == cpus->n || !has_candidates(resolution, core))
            continue;
        r = find_free_on(resolution, ops, cpus->cpus[first], hybrid, core, &n_free);
        if (r < 0)
            return r;
        least = n_free < least ? n_free : least;
    }
    *ret_free = least == SIZE_MAX ? 0 : least;
    return 0;
}

size_t resolution_budget(const struct config *config, size_t n_free)
{
    if (config->limits.pmu_counters == CONFIG_ALL_COUNTERS)
        return PMU_COUNTERS_ALL;
    return config->limits.pmu_counters ? (size_t)config->limits.pmu_counters
                                       : pmu_budget_half(n_free);
}

static bool is_shared(const struct pmu_share *share, const struct target_class *class)
{
    return class->groups && !class->pmu && share->is_shared[class->groups->kind];
}

static bool has_claim(const struct pmu_share *share, const struct target_class *class)
{
    return class->groups && !is_shared(share, class);
}

/* Makes the claims of the classes whose targets have counters of their own, in their order. */
static int list_claims(const struct resolution *resolution, const struct pmu_share *share,
                       struct pmu_claim *claims, size_t *ret_n)
{
    size_t n = 0;

    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;
        AUTO_FREE enum absence *absences = NULL;

        if (!has_claim(share, &resolution->classes[i]))
            continue;
        absences = list_absences(groups);
        if (!absences)
            return -ENOMEM;
        claims[n++] = (struct pmu_claim){.kind = groups->kind,
                                         .wanted = event_groups_wanted_counters(groups, absences)};
    }
    *ret_n = n;
    return 0;
}

/* Makes the groups that a nested cgroup gets for which no counters are left. */
static int make_substitute(struct target_class *class, bool may_be_refused)
{
    class->without_counters = event_groups_free(class->without_counters);
    if (class->groups->kind != SCOPE_CGROUP || class->n_counters == 0 || !may_be_refused)
        return 0;
    return event_groups_without_counters(class->groups, &class->without_counters);
}

/* Lets the targets of a class have so many counters. is_limited: more of them may be too many. */
static int grant(struct target_class *class, size_t granted, bool is_limited)
{
    AUTO_FREE enum absence *absences = list_absences(class->groups);

    if (!absences)
        return -ENOMEM;
    event_groups_grant_counters(class->groups, granted, absences);
    class->n_counters = granted;
    event_groups_apply(class->groups, absences);
    return make_substitute(class, is_limited);
}

/* The classes whose targets share their counters, in the order in which they are served. */
struct sharing {
    struct pmu_sharer *sharers;
    size_t *classes; /* the index of each sharer's class */
    size_t n;
};

static void sharing_done(struct sharing *sharing)
{
    for (size_t i = 0; i < sharing->n; i++)
        free(sharing->sharers[i].absences);
    free(sharing->sharers);
    free(sharing->classes);
}

static int add_sharers(struct sharing *sharing, const struct resolution *resolution,
                       const struct pmu_share *share, enum scope_kind kind)
{
    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;
        struct pmu_sharer sharer = {.groups = groups};

        if (!is_shared(share, &resolution->classes[i]) || groups->kind != kind)
            continue;
        sharer.absences = list_absences(groups);
        if (!sharer.absences)
            return -ENOMEM;
        sharing->classes[sharing->n] = i;
        sharing->sharers[sharing->n++] = sharer;
    }
    return 0;
}

static int list_sharers(const struct resolution *resolution, const struct pmu_share *share,
                        struct sharing *sharing)
{
    int r;

    sharing->sharers = calloc(resolution->n_classes + 1, sizeof(*sharing->sharers));
    sharing->classes = calloc(resolution->n_classes + 1, sizeof(*sharing->classes));
    r = sharing->sharers && sharing->classes ? 0 : -ENOMEM;
    if (r >= 0)
        r = add_sharers(sharing, resolution, share, SCOPE_PROCESS);
    if (r >= 0)
        r = add_sharers(sharing, resolution, share, SCOPE_CGROUP);
    return r < 0 ? r : add_sharers(sharing, resolution, share, SCOPE_SYSTEM);
}

static size_t *part_of(struct pmu_division *division, enum scope_kind kind)
{
    switch (kind) {
    case SCOPE_PROCESS:
        return &division->processes;
    case SCOPE_CGROUP:
        return &division->cgroups;
    default:
        return &division->system;
    }
}

/*
 * Gives the rest of the budget to the classes that share. Since one set of counters serves all of
 * them on a CPU, it does not matter how cgroups nest.
 */
static int divide_shared(struct resolution *resolution, struct pmu_share *share)
{
    struct sharing sharing = {0};
    int r = list_sharers(resolution, share, &sharing);

    if (r >= 0)
        (void)pmu_budget_share(share->budget - pmu_division_sum(&share->division), sharing.sharers,
                               sharing.n);
    for (size_t i = 0; i < sharing.n && r >= 0; i++) {
        struct target_class *class = &resolution->classes[sharing.classes[i]];

        *part_of(&share->division, class->groups->kind) += sharing.sharers[i].taken;
        class->n_counters = sharing.sharers[i].taken;
        event_groups_apply(class->groups, sharing.sharers[i].absences);
        r = make_substitute(class, false);
    }
    sharing_done(&sharing);
    return r;
}

int resolution_divide(struct resolution *resolution, const struct pmu_chains *chains,
                      struct pmu_share *share)
{
    AUTO_FREE struct pmu_claim *claims = calloc(resolution->n_classes + 1, sizeof(*claims));
    const bool is_limited = share->budget != PMU_COUNTERS_ALL;
    size_t n = 0;
    int r = claims ? list_claims(resolution, share, claims, &n) : -ENOMEM;

    if (r < 0)
        return r;
    resolution->pmu_is_taken = is_limited && share->is_measured && share->n_free == 0;
    pmu_budget_divide(share->budget, claims, n, chains, &share->division);
    n = 0;
    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++)
        if (has_claim(share, &resolution->classes[i]))
            r = grant(&resolution->classes[i], claims[n++].granted, is_limited);
    return r < 0 ? r : divide_shared(resolution, share);
}

/* Whether a class from first_class on, or a group before it in its own class, opens the same. */
static bool is_open_before(const struct resolution *resolution, const struct pmu_share *share,
                           size_t first_class, size_t class_index, size_t group)
{
    const struct event_group *wanted = &resolution->classes[class_index].groups->groups[group];

    for (size_t i = first_class; i <= class_index; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        if (!is_shared(share, &resolution->classes[i]))
            continue;
        for (size_t g = 0; g < (i < class_index ? groups->n_groups : group); g++)
            if (event_group_is_same(&groups->groups[g], wanted))
                return true;
    }
    return false;
}

static size_t count_shared(const struct resolution *resolution, const struct pmu_share *share,
                           size_t first_class)
{
    size_t n = 0;

    for (size_t i = first_class; i < resolution->n_classes; i++) {
        const struct event_groups *groups = resolution->classes[i].groups;

        if (!is_shared(share, &resolution->classes[i]))
            continue;
        for (size_t g = 0; g < groups->n_groups; g++)
            if (!is_open_before(resolution, share, first_class, i, g))
                n += groups->groups[g].n_opened;
    }
    return n;
}

size_t resolution_shared_events(const struct resolution *resolution, const struct pmu_share *share)
{
    return count_shared(resolution, share, CLASS_MACHINE);
}

size_t resolution_charged_events(const struct resolution *resolution, const struct pmu_share *share)
{
    return count_shared(resolution, share, CLASS_CGROUP);
}
