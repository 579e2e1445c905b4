/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What /metrics has of a configuration: the families of its plans, and each event with its state,
 * as pmu_exporter_event_info and pmu_exporter_event_supported show it.
 */
#include "resolve/resolution_catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name of the counter that has the event's total; empty: the event has its total elsewhere. */
static const char *total_name(const struct target_class *class, size_t event)
{
    for (size_t i = 0; i < class->plan->n_columns; i++)
        if (class->plan->columns[i].kind == COLUMN_TOTAL && class->plan->columns[i].index == event)
            return class->plan->columns[i].name;
    return "";
}

/* Where others hold every counter of the PMU, it is not our share that is too small. */
static enum absence shown_absence(const struct resolution *resolution, enum absence absence)
{
    return absence == ABSENCE_OVER_BUDGET && resolution->pmu_is_taken ? ABSENCE_PMU_BUSY : absence;
}

/*
 * Adds the state of an event, unless one of the same scope, group and name is listed: rules may
 * have the same groups. Of the two, the one that has its total in this group is kept.
 */
static size_t add_status(struct event_status *statuses, size_t n, struct event_status status)
{
    for (size_t i = 0; i < n; i++) {
        struct event_status *listed = &statuses[i];

        if (strcmp(listed->scope, status.scope) != 0 || strcmp(listed->group, status.group) != 0 ||
            strcmp(listed->event, status.event) != 0)
            continue;
        if (!*listed->metric)
            *listed = status;
        return n;
    }
    statuses[n] = status;
    return n + 1;
}

/* Adds the states of all events of a class. Returns how many there are then. */
static size_t add_statuses(const struct resolution *resolution, const struct target_class *class,
                           struct event_status *statuses, size_t n)
{
    for (size_t g = 0; g < class->groups->n_groups; g++) {
        const struct event_group *group = &class->groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++) {
            const struct event *event = group->members[i].event;
            const struct event_status status = {
                .scope = scope_kind_name(class->groups->kind),
                .metric = (char *)total_name(class, group->first + i),
                .event = event->name,
                .group = (char *)group->name,
                .pmu = event->pmu,
                .encoding = event->encoding,
                .counted_as = event->counted_as,
                .absence = shown_absence(resolution, group->members[i].absence),
            };

            n = add_status(statuses, n, status);
        }
    }
    return n;
}

/* A machine that is the sum of its CPUs shows what they count. */
static const struct event_groups *shown_groups(const struct resolution *resolution,
                                               size_t class_index)
{
    const struct target_class *class = &resolution->classes[class_index];

    return class_index == CLASS_MACHINE && !class->groups ? resolution->classes[CLASS_CPU].groups
                                                          : class->groups;
}

static int make_plans(struct resolution *resolution)
{
    int r = 0;

    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++) {
        struct target_class *class = &resolution->classes[i];
        const struct event_groups *groups = shown_groups(resolution, i);

        if (groups)
            r = plan_new(&class->spec, groups, &class->plan);
    }
    return r;
}

int resolution_make_catalogue(struct resolution *resolution)
{
    AUTO_FREE struct plan **plans = calloc(resolution->n_classes, sizeof(struct plan *));
    AUTO_FREE struct event_status *statuses = NULL;
    struct catalogue *catalogue;
    size_t n_plans = 0, n_statuses = 0, most = 1;
    int r = make_plans(resolution);

    if (r < 0)
        return r;
    for (size_t i = 0; i < resolution->n_classes; i++)
        most += resolution->classes[i].groups ? resolution->classes[i].groups->n_events : 0;
    statuses = calloc(most, sizeof(*statuses));
    if (!plans || !statuses)
        return -ENOMEM;
    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct target_class *class = &resolution->classes[i];

        if (!class->plan)
            continue;
        plans[n_plans++] = class->plan;
        if (class->groups)
            n_statuses = add_statuses(resolution, class, statuses, n_statuses);
    }
    r = catalogue_new(plans, n_plans, statuses, n_statuses, &catalogue);
    if (r < 0)
        return r;
    resolution->catalogue = catalogue;
    return 0;
}
