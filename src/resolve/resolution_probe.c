/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_probe.h"

#include <errno.h>

/*
 * A group that is open keeps what it counts; where the kernel could not tell, also what it lacks.
 * An event that cannot be found any more is not kept: what counts it is not what its name means
 * now, as when another file has the path of a probe.
 */
static void keep_open(const struct event_group *group, const struct open_groups *open, bool unsure,
                      enum absence *absences)
{
    for (size_t k = 0; k < open->n; k++) {
        if (!event_group_has_same_members(group, open->groups[k]))
            continue;
        for (size_t i = 0; i < group->n_members; i++) {
            enum absence before = open->groups[k]->members[i].absence;

            if (group->members[i].event->absence == ABSENCE_NONE &&
                (before == ABSENCE_NONE || unsure))
                absences[group->first + i] = before;
        }
    }
}

int resolution_probe(struct resolution *resolution, size_t class_index, const struct perf_ops *ops,
                     const struct scope *scope, const struct open_groups *open)
{
    struct target_class *class = &resolution->classes[class_index];
    AUTO_FREE enum absence *absences = calloc(class->groups->n_events + 1, sizeof(*absences));

    if (!absences)
        return -ENOMEM;
    class->unsure = event_groups_probe(class->groups, ops, scope, absences) < 0;
    if (class->unsure)
        event_groups_absences(class->groups, absences);
    for (size_t g = 0; g < class->groups->n_groups; g++)
        keep_open(&class->groups->groups[g], open, class->unsure, absences);
    event_groups_apply(class->groups, absences);
    return 0;
}

/* Whether the kernel would now count an event that it refuses. What our own limits leave out is no
 * question to the kernel. */
static bool has_more(const struct event_groups *groups, const enum absence *absences)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++)
            if (group->members[i].absence != ABSENCE_NONE &&
                group->members[i].absence != ABSENCE_OVER_BUDGET &&
                group->members[i].absence != ABSENCE_OVER_LIMIT &&
                absences[group->first + i] == ABSENCE_NONE)
                return true;
    }
    return false;
}

int resolution_can_grow(struct resolution *resolution, size_t class_index,
                        const struct perf_ops *ops, const struct scope *scope)
{
    struct target_class *class = &resolution->classes[class_index];
    AUTO_FREE enum absence *absences = calloc(class->groups->n_events + 1, sizeof(*absences));
    bool was_unsure = class->unsure;
    int r;

    if (!absences)
        return -ENOMEM;
    r = event_groups_probe(class->groups, ops, scope, absences);
    if (r < 0)
        return r;
    class->unsure = false;
    return has_more(class->groups, absences) ||
           (was_unsure && event_groups_differ(class->groups, absences));
}
