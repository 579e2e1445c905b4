/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/uncore.h"

#include <errno.h>
#include <string.h>

#include "sys/cpu_topology.h"

bool target_class_may_count(const struct target_class *class, const struct event *event)
{
    if (class->kind != SCOPE_SYSTEM)
        return true; /* it is listed there, too, with the reason why it is absent */
    if (!class->pmu)
        return !event->is_uncore;
    return event->is_uncore && strcmp(event->pmu, class->pmu) == 0;
}

static bool is_of_system(const struct config *config, const char *group)
{
    for (size_t i = 0; config->system.enabled && i < config->system.groups.n; i++)
        if (strcmp(config->system.groups.words[i].text, group) == 0)
            return true;
    return false;
}

static bool is_listed(const char *const *pmus, size_t n, const char *pmu)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(pmus[i], pmu) == 0)
            return true;
    return false;
}

/* Adds the PMUs of a group. `pmus` has room for as many as there are events. 0 or -ENOMEM. */
static int list_of_group(const struct resolution *resolution, const struct config_group *group,
                         const char **pmus, size_t *n)
{
    const struct event **found;
    const size_t n_events = resolution_group_events(resolution, group, &found);
    AUTO_FREE const struct event **events = found;

    if (!events)
        return -ENOMEM;
    for (size_t i = 0; i < n_events; i++)
        if (events[i]->is_uncore && !is_listed(pmus, *n, events[i]->pmu))
            pmus[(*n)++] = events[i]->pmu;
    return 0;
}

size_t resolution_list_uncore(const struct resolution *resolution, const char ***ret_pmus)
{
    const struct config *config = resolution->config;
    AUTO_FREE const char **pmus = calloc(resolution->n_events + 1, sizeof(*pmus));
    size_t n = 0;

    *ret_pmus = NULL;
    if (!pmus)
        return 0;
    for (size_t g = 0; g < config->n_groups; g++)
        if (is_of_system(config, config->groups[g].name.text) &&
            list_of_group(resolution, &config->groups[g], pmus, &n) < 0)
            return 0;
    *ret_pmus = TAKE(pmus);
    return n;
}

const struct cpu_list *uncore_cpus(const struct pmu_list *pmus, const char *pmu)
{
    static const struct cpu_list none = {0};
    const struct pmu *found = pmus ? pmu_list_find_name(pmus, pmu) : NULL;

    return found && found->cpus ? found->cpus : &none;
}

/* Of a name that one PMU has exactly, that one only; else all instances. */
static bool is_counted_by(const struct pmu *pmu, const char *name, const struct pmu *first)
{
    if (!pmu_is_uncore(pmu))
        return false;
    return strcmp(first->name, name) == 0 ? pmu == first : pmu_is_instance(pmu, name);
}

static int compare_places(const void *a, const void *b)
{
    const struct uncore_place *left = a, *right = b;

    if (left->socket != right->socket)
        return left->socket < right->socket ? -1 : 1;
    if (left->cpu.value != right->cpu.value)
        return left->cpu.value < right->cpu.value ? -1 : 1;
    return left->type < right->type ? -1 : left->type > right->type;
}

int uncore_places_read(int sysfs_fd, const struct pmu_list *pmus, const char *pmu,
                       struct uncore_places **ret_places)
{
    const struct pmu *first = pmus ? pmu_list_find_name(pmus, pmu) : NULL;
    struct uncore_places *places;
    size_t most = 0;

    for (size_t i = 0; first && i < pmus->n; i++)
        most += is_counted_by(&pmus->pmus[i], pmu, first) ? pmus->pmus[i].cpus->n : 0;
    places = calloc(1, sizeof(*places) + most * sizeof(places->places[0]));
    if (!places)
        return -ENOMEM;
    for (size_t i = 0; most > 0 && i < pmus->n; i++) {
        const struct pmu *instance = &pmus->pmus[i];

        for (size_t c = 0; is_counted_by(instance, pmu, first) && c < instance->cpus->n; c++)
            places->places[places->n++] = (struct uncore_place){
                .socket = cpu_topology_read(sysfs_fd, instance->cpus->cpus[c]).socket,
                .cpu = instance->cpus->cpus[c],
                .type = instance->type};
    }
    if (places->n > 0)
        qsort(places->places, places->n, sizeof(places->places[0]), compare_places);
    *ret_places = places;
    return 0;
}
