/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What can be counted is found out by trying. Each event is opened alone first, so that the errno
 * is about this event: a missing event differs from a missing permission. Then the group is built
 * up. An event that can be opened alone, but not with the others, is one too many for the PMU. It
 * is left out, so that the rest of the group is counted.
 */
#include "count/event_group.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "count/core_kinds.h"
#include "count/perf_group.h"

static const char *const scope_kind_names[] = {
    [SCOPE_SYSTEM] = "system",
    [SCOPE_CGROUP] = "cgroup",
    [SCOPE_PROCESS] = "process",
};

const char *scope_kind_name(enum scope_kind kind)
{
    return scope_kind_names[kind];
}

/* The absence that is known without asking the kernel. place: index of the event in its group. */
static enum absence absence_by_itself(const struct event *event, enum scope_kind kind, size_t place)
{
    if (event->absence != ABSENCE_NONE)
        return event->absence;
    if (place >= EVENT_GROUP_MAX)
        return ABSENCE_GROUP_TOO_LARGE;
    if (event->is_uncore && kind != SCOPE_SYSTEM)
        return ABSENCE_NOT_SUPPORTED; /* its PMU cannot tell who caused what it counts */
    /* On a CPU, task-clock and cpu-clock count wall time, whoever runs: they tell nothing. */
    if (event->is_clock && kind == SCOPE_SYSTEM)
        return ABSENCE_NOT_SUPPORTED;
    return ABSENCE_NONE;
}

static int group_init(struct event_group *group, enum scope_kind kind,
                      const struct group_spec *spec, size_t first)
{
    group->name = spec->name;
    group->first = first;
    group->n_members = spec->n_events;
    group->members = calloc(spec->n_events + 1, sizeof(*group->members));
    group->opened = calloc(spec->n_events + 1, sizeof(*group->opened));
    if (!group->members || !group->opened)
        return -ENOMEM;
    for (size_t i = 0; i < spec->n_events; i++)
        group->members[i] = (struct group_member){
            .event = spec->events[i], .absence = absence_by_itself(spec->events[i], kind, i)};
    return 0;
}

static void update_opened(struct event_groups *groups)
{
    groups->n_opened = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        struct event_group *group = &groups->groups[g];

        group->n_opened = 0;
        for (size_t i = 0; i < group->n_members && i < EVENT_GROUP_MAX; i++)
            if (group->members[i].absence == ABSENCE_NONE)
                group->opened[group->n_opened++] = (uint8_t)i;
        groups->n_opened += group->n_opened;
    }
}

int event_groups_new(enum scope_kind kind, const struct group_spec *specs, size_t n_specs,
                     struct event_groups **ret_groups)
{
    AUTO(event_groups) struct event_groups *groups = calloc(1, sizeof(*groups));

    if (!groups)
        return -ENOMEM;
    groups->kind = kind;
    groups->groups = calloc(n_specs + 1, sizeof(*groups->groups));
    if (!groups->groups)
        return -ENOMEM;
    groups->n_groups = n_specs;
    for (size_t i = 0; i < n_specs; i++) {
        int r = group_init(&groups->groups[i], kind, &specs[i], groups->n_events);

        if (r < 0)
            return r;
        groups->n_events += specs[i].n_events;
    }
    update_opened(groups);
    *ret_groups = TAKE(groups);
    return 0;
}

struct event_groups *event_groups_free(struct event_groups *groups)
{
    if (!groups)
        return NULL;
    for (size_t i = 0; groups->groups && i < groups->n_groups; i++) {
        free(groups->groups[i].members);
        free(groups->groups[i].opened);
    }
    free(groups->groups);
    free(groups);
    return NULL;
}

/* Whether the kernel's answer is about the state of the machine, and not about the event. */
static bool is_of_machine(enum absence absence)
{
    return absence == ABSENCE_NO_DESCRIPTORS || absence == ABSENCE_TARGET_GONE ||
           absence == ABSENCE_CPU_OFFLINE;
}

/*
 * Where the kernel is asked: in one place of the scope; but where the machine has several kinds of
 * cores, in one place of each kind, since what one kind has another may lack.
 */
struct probe_sites {
    struct perf_site *sites;
    size_t n;
};

/* The first place on a CPU of this kind, from 0; or n_places: there is none in the scope. */
static size_t find_place_of(const struct scope *scope, const struct pmu *core)
{
    size_t place = 0;

    while (place < scope->cpus->n &&
           pmu_list_core_of(scope->hybrid, scope->cpus->cpus[place]) != core)
        place++;
    return place;
}

/* 0 or -ENOMEM. The caller frees the array. */
static int find_sites(const struct scope *scope, struct probe_sites *ret_sites)
{
    const size_t n_cores = scope->hybrid ? pmu_list_n_cores(scope->hybrid) : 0;
    struct perf_site *sites = calloc(n_cores + 1, sizeof(*sites));
    size_t n = 0;

    if (!sites)
        return -ENOMEM;
    for (size_t i = 0; i < n_cores; i++) {
        const struct pmu *core = pmu_list_nth_core(scope->hybrid, i);
        struct perf_site site = {.scope = scope};

        if (scope_is_of_threads(scope))
            site.part = i;
        else
            site.place = find_place_of(scope, core);
        if (site.place < scope_n_places(scope))
            sites[n++] = site;
    }
    if (n == 0) /* one kind of cores, or the scope has no CPU of a kind that is known */
        sites[n++] = (struct perf_site){.scope = scope};
    *ret_sites = (struct probe_sites){sites, n};
    return 0;
}

/* Opens one event, alone (group_fd -1) or into a group. A descriptor, or -errno and its meaning. */
static int try_open(const struct perf_ops *ops, const struct event *event,
                    const struct perf_site *site, int group_fd, enum absence *ret_absence)
{
    int fd = perf_event_open_at(ops, event, site, group_fd);

    *ret_absence = fd < 0 ? perf_event_absence(fd, event, site->scope) : ABSENCE_NONE;
    return fd;
}

/*
 * Asks at each site that has the event: a sum that lacks one kind of cores is no sum. 0 with the
 * absence, or -errno where the answer is not about the event.
 */
static int probe_alone(const struct perf_ops *ops, const struct event *event,
                       const struct probe_sites *sites, enum absence *ret_absence)
{
    enum absence worst = ABSENCE_NONE;
    size_t n_asked = 0;

    for (size_t i = 0; i < sites->n; i++) {
        const struct perf_site *site = &sites->sites[i];
        enum absence absence;
        int fd;

        if (!event_counts_on(&event->code, scope_core(site->scope, site->place, site->part)))
            continue;
        n_asked++;
        fd = try_open(ops, event, site, -1, &absence);
        if (fd < 0 && is_of_machine(absence))
            return fd;
        if (fd >= 0)
            ops->close(ops->context, fd);
        worst = absence_foremost(worst, absence);
    }
    *ret_absence = n_asked > 0 ? worst : ABSENCE_CPU_OFFLINE;
    return 0;
}

/*
 * Whether the kernel gives both the same answer: two tracepoints of one wildcard and one subsystem,
 * but for `ftrace`, of which the kernel counts some only.
 * The kernel takes some 10 ms to close the only event of a tracepoint, so that a wildcard is slow
 * to ask for one by one.
 */
static bool are_alike(const struct event *a, const struct event *b)
{
    const size_t n_subsystem = strcspn(a->name, ":") + 1;

    return a->is_of_subsystem && b->is_of_subsystem && !a->code.filter && !b->code.filter &&
           strncmp(a->name, "ftrace:", n_subsystem) != 0 && a->code.type == b->code.type &&
           a->code.exclude_user == b->code.exclude_user &&
           a->code.exclude_kernel == b->code.exclude_kernel &&
           strncmp(a->name, b->name, n_subsystem) == 0;
}

/* The answer that an earlier member of the group has had for all that are like it. */
static bool is_answered(const struct event_group *group, size_t member,
                        const enum absence *absences, enum absence *ret_absence)
{
    for (size_t i = 0; i < member && i < EVENT_GROUP_MAX; i++)
        if (are_alike(group->members[i].event, group->members[member].event) &&
            group->members[i].event->absence == ABSENCE_NONE) {
            *ret_absence = absences[i];
            return true;
        }
    return false;
}

/*
 * Opens the members one by one into one group, and leaves out those that do not fit. Tracepoints
 * take no counter, and fit into every group.
 */
static int probe_together(const struct event_group *group, const struct perf_ops *ops,
                          const struct perf_site *site, enum absence *absences)
{
    int descriptors[EVENT_GROUP_MAX];
    size_t n = 0;
    int r = 0;

    for (size_t i = 0; i < group->n_members && i < EVENT_GROUP_MAX && r == 0; i++) {
        enum absence absence;
        int fd;

        if (absences[i] != ABSENCE_NONE || group->members[i].event->is_of_subsystem)
            continue;
        fd = try_open(ops, group->members[i].event, site, n ? descriptors[0] : -1, &absence);
        if (fd >= 0)
            descriptors[n++] = fd;
        else if (is_of_machine(absence))
            r = fd;
        else
            absences[i] = n ? ABSENCE_GROUP_TOO_LARGE : absence;
    }
    perf_group_close(ops, descriptors, n);
    return r;
}

static int probe_group(const struct event_group *group, enum scope_kind kind,
                       const struct perf_ops *ops, const struct scope *scope,
                       const struct probe_sites *sites, enum absence *absences)
{
    int r = 0;

    for (size_t i = 0; i < group->n_members; i++) {
        const struct event *event = group->members[i].event;

        absences[i] = absence_by_itself(event, kind, i);
        if (absences[i] == ABSENCE_NONE && scope_n_places(scope) == 0)
            absences[i] = ABSENCE_CPU_OFFLINE;
        if (absences[i] != ABSENCE_NONE || is_answered(group, i, absences, &absences[i]))
            continue;
        r = probe_alone(ops, event, sites, &absences[i]);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < sites->n && r >= 0; i++)
        r = probe_together(group, ops, &sites->sites[i], absences);
    return r;
}

int event_groups_probe(const struct event_groups *groups, const struct perf_ops *ops,
                       const struct scope *scope, enum absence *ret_absences)
{
    struct probe_sites sites = {0};
    int r = find_sites(scope, &sites);

    for (size_t g = 0; g < groups->n_groups && r >= 0; g++) {
        const struct event_group *group = &groups->groups[g];

        r = probe_group(group, groups->kind, ops, scope, &sites, ret_absences + group->first);
    }
    free(sites.sites);
    return r;
}

bool event_can_inherit_threads(const struct perf_ops *ops)
{
    const pid_t self = getpid();
    const struct event nothing = {.code = {.type = PERF_TYPE_SOFTWARE,
                                           .config = PERF_COUNT_SW_DUMMY,
                                           .exclude_kernel = true}};
    const struct scope scope = {.kind = SCOPE_PROCESS,
                                .cgroup_fd = -1,
                                .tasks = &self,
                                .n_tasks = 1,
                                .inherit = INHERIT_THREADS};
    int fd = perf_event_open_at(ops, &nothing, &(struct perf_site){.scope = &scope}, -1);

    if (fd < 0)
        return false;
    ops->close(ops->context, fd);
    return true;
}

void event_groups_absences(const struct event_groups *groups, enum absence *ret_absences)
{
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members; i++)
            ret_absences[groups->groups[g].first + i] = groups->groups[g].members[i].absence;
}

bool event_groups_differ(const struct event_groups *groups, const enum absence *absences)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++)
            if (group->members[i].absence != absences[group->first + i])
                return true;
    }
    return false;
}

void event_groups_apply(struct event_groups *groups, const enum absence *absences)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++)
            group->members[i].absence = absences[group->first + i];
    }
    update_opened(groups);
}

bool event_groups_want_retry(const struct event_groups *groups)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++) {
            const struct group_member *member = &group->members[i];

            if (member->absence != ABSENCE_OVER_BUDGET && member->absence != ABSENCE_OVER_LIMIT &&
                member->absence != absence_by_itself(member->event, groups->kind, i))
                return true;
        }
    }
    return false;
}

bool event_group_has_same_members(const struct event_group *a, const struct event_group *b)
{
    if (strcmp(a->name, b->name) != 0 || a->n_members != b->n_members)
        return false;
    for (size_t i = 0; i < a->n_members; i++)
        if (!event_is_same(a->members[i].event, b->members[i].event))
            return false;
    return true;
}

bool event_group_goes_on(const struct event_group *group, const struct event_group *before)
{
    return group->n_opened > 0 && strcmp(group->name, before->name) == 0 &&
           event_group_is_same(group, before);
}

bool event_group_is_same(const struct event_group *a, const struct event_group *b)
{
    bool same = a->n_opened == b->n_opened;

    for (size_t i = 0; same && i < a->n_opened; i++)
        same = event_code_equal(&a->members[a->opened[i]].event->code,
                                &b->members[b->opened[i]].event->code);
    return same;
}

bool event_group_is_paused_with_pmu(const struct event_group *group)
{
    for (size_t i = 0; i < group->n_opened; i++) {
        const struct event *event = group->members[group->opened[i]].event;

        if (event->takes_counter || event->is_uncore)
            return true;
    }
    return false;
}

size_t event_group_n_probes(const struct event_group *group)
{
    size_t n = 0;

    for (size_t i = 0; i < group->n_opened; i++)
        n += event_code_is_probe(&group->members[group->opened[i]].event->code);
    return n;
}

bool event_group_takes_counters(const struct event_group *group)
{
    for (size_t i = 0; i < group->n_opened; i++)
        if (group->members[group->opened[i]].event->takes_counter)
            return true;
    return false;
}
