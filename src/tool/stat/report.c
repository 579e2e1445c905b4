/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/report.h"

const struct group_member *report_member(const struct report *report, size_t event,
                                         size_t *ret_group)
{
    const struct event_groups *groups = report->groups;
    size_t group = 0;

    while (event >= groups->groups[group].first + groups->groups[group].n_members)
        group++;
    *ret_group = group;
    return &groups->groups[group].members[event - groups->groups[group].first];
}

bool report_has_row(const struct report *report, size_t part, size_t event)
{
    size_t group;
    const struct group_member *member = report_member(report, event, &group);

    return report->cpus[part] < 0 || !member->event->is_uncore ||
           figure_is_counted(report_figure(report, part, event)) ||
           (member->absence != ABSENCE_NONE && part == 0);
}

struct shown_value shown_value_of(const struct event *event)
{
    if (event_counts_nanoseconds(event))
        return (struct shown_value){"msec", 1e-6, 2};
    if (event->unit)
        return (struct shown_value){event->unit, event->scale, 2};
    return (struct shown_value){"", 1, 0};
}
