/* SPDX-License-Identifier: Apache-2.0 */
#include "run/figures.h"

void figures_add_sample(struct figure *figures, const struct event_groups *groups,
                        const struct sample *sample)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];
        const struct group_sample *times = &sample->groups[g];

        for (size_t i = 0; i < group->n_members && group->n_opened > 0; i++) {
            struct figure *figure = &figures[group->first + i];

            if (group->members[i].absence != ABSENCE_NONE)
                continue; /* Another part may have it: the time of this one is not its time. */
            figure->exact += sample->events[group->first + i].count;
            figure->enabled_ns += times->enabled;
            figure->running_ns += times->running;
            figure->is_known = times->counted && !times->unknown;
        }
    }
}

void figures_begin_run(struct figure *figures, size_t n)
{
    for (size_t i = 0; i < n; i++)
        figures[i] = (struct figure){.count = figures[i].count,
                                     .enabled = figures[i].enabled,
                                     .running = figures[i].running};
}

void figures_begin_interval(struct figure *figures, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (figures[i].is_known)
            figures[i] = (struct figure){0};
}

void figures_end(struct figure *figures, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!figures[i].is_known)
            continue;
        mean_add(&figures[i].count, (double)figures[i].exact);
        mean_add(&figures[i].enabled, (double)figures[i].enabled_ns);
        mean_add(&figures[i].running, (double)figures[i].running_ns);
    }
}

double figure_coverage(const struct figure *figure)
{
    const bool is_mean = figure_is_counted(figure);
    const double enabled = is_mean ? figure->enabled.mean : (double)figure->enabled_ns;
    const double running = is_mean ? figure->running.mean : (double)figure->running_ns;

    return running >= enabled ? 1 : running / enabled;
}
