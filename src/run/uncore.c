/* SPDX-License-Identifier: Apache-2.0 */
#include "run/uncore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/uncore.h"
#include "sys/perf_event.h"

static bool is_known(const struct run_uncores *uncores, const char *pmu)
{
    for (size_t i = 0; i < uncores->n; i++)
        if (strcmp(uncores->pmus[i].pmu, pmu) == 0)
            return true;
    return false;
}

/* Takes the places of a PMU that are on the CPUs. 0 or -errno. */
static int take_places(struct run_uncore *uncore, int sysfs_fd, const struct pmu_list *pmus,
                       const struct cpu_list *only)
{
    struct uncore_places *read = NULL;
    int r = uncore_places_read(sysfs_fd, pmus, uncore->pmu, &read);
    AUTO_FREE struct uncore_places *places = read;

    if (r < 0)
        return r;
    uncore->cpus = calloc(1, sizeof(*uncore->cpus) + places->n * sizeof(uncore->cpus->cpus[0]));
    uncore->types = calloc(places->n + 1, sizeof(*uncore->types));
    if (!uncore->cpus || !uncore->types)
        return -ENOMEM;
    for (size_t i = 0; i < places->n; i++) {
        if (only && !cpu_list_contains(only, places->places[i].cpu))
            continue;
        uncore->types[uncore->cpus->n] = places->places[i].type;
        uncore->cpus->cpus[uncore->cpus->n++] = places->places[i].cpu;
    }
    return 0;
}

int run_uncores_find(const struct run_events *events, int sysfs_fd, const struct pmu_list *pmus,
                     const struct cpu_list *only, struct run_uncores *ret_uncores)
{
    int r = 0;

    *ret_uncores = (struct run_uncores){.pmus = calloc(events->n + 1, sizeof(struct run_uncore))};
    if (!ret_uncores->pmus)
        return -ENOMEM;
    for (size_t i = 0; i < events->n && r == 0; i++) {
        const struct event *event = events->events[i];

        if (!event->is_uncore || is_known(ret_uncores, event->pmu))
            continue;
        ret_uncores->pmus[ret_uncores->n++] = (struct run_uncore){.pmu = event->pmu};
        r = take_places(&ret_uncores->pmus[ret_uncores->n - 1], sysfs_fd, pmus, only);
    }
    return r;
}

struct scope run_uncore_scope(const struct run_uncore *uncore)
{
    return (struct scope){
        .kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = uncore->cpus, .pmu_types = uncore->types};
}

static bool is_of(const struct event *event, const char *pmu)
{
    return event->is_uncore && strcmp(event->pmu, pmu) == 0;
}

/* Makes groups in which the events of one PMU are open, or of pmu NULL those of none. */
static int make_groups(const struct run_events *events, const char *pmu,
                       const enum absence *absences, struct event_groups **groups)
{
    AUTO_FREE enum absence *own = calloc(events->n + 1, sizeof(*own));
    int r = 0;

    if (!own)
        return -ENOMEM;
    if (!*groups)
        r = run_events_make_groups(events, SCOPE_SYSTEM, groups);
    for (size_t i = 0; i < events->n; i++) {
        const struct event *event = events->events[i];
        const bool is_own = pmu ? is_of(event, pmu) : !event->is_uncore;

        own[i] = is_own ? absences[i] : ABSENCE_NOT_SUPPORTED;
    }
    if (r == 0)
        event_groups_apply(*groups, own);
    return r;
}

/* Finds the absences of a PMU's own events. */
static int probe(struct run_uncore *uncore, const struct run_events *events, enum absence *absences)
{
    const struct scope scope = run_uncore_scope(uncore);
    AUTO_FREE enum absence *own = calloc(events->n + 1, sizeof(*own));
    int r = own ? run_events_make_groups(events, SCOPE_SYSTEM, &uncore->groups) : -ENOMEM;

    if (r == 0)
        r = event_groups_probe(uncore->groups, &perf_ops_kernel, &scope, own);
    for (size_t i = 0; i < events->n && r == 0; i++)
        if (is_of(events->events[i], uncore->pmu))
            absences[i] = own[i];
    return r;
}

int run_uncores_probe(struct run_uncores *uncores, const struct run_events *events)
{
    AUTO_FREE enum absence *absences = calloc(events->n + 1, sizeof(*absences));
    int r = absences ? 0 : -ENOMEM;

    if (r < 0 || uncores->n == 0)
        return r;
    event_groups_absences(events->groups, absences);
    for (size_t i = 0; i < uncores->n && r == 0; i++)
        r = probe(&uncores->pmus[i], events, absences);
    for (size_t i = 0; i < uncores->n && r == 0; i++)
        r = make_groups(events, uncores->pmus[i].pmu, absences, &uncores->pmus[i].groups);
    if (r == 0)
        r = make_groups(events, NULL, absences, &uncores->others);
    if (r == 0)
        event_groups_apply(events->groups, absences);
    return r;
}

void run_uncores_done(struct run_uncores *uncores)
{
    for (size_t i = 0; i < uncores->n; i++) {
        uncores->pmus[i].cpus = cpu_list_free(uncores->pmus[i].cpus);
        free(uncores->pmus[i].types);
        uncores->pmus[i].groups = event_groups_free(uncores->pmus[i].groups);
    }
    uncores->others = event_groups_free(uncores->others);
    free(uncores->pmus);
    *uncores = (struct run_uncores){0};
}
