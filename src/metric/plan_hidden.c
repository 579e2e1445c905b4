/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Numbers that nobody is shown. The past is kept as totals, of which rates and ratios are computed
 * when somebody looks (history/). For that a ratio needs the total of each of its events in its own
 * group, where the total that is shown may be that of another group; and a total that stands still
 * has to tell whether nothing was counted or whether it is not known.
 */
#include <errno.h>

#include "metric/plan_build.h"

/* The number that is the total of a member of a group; n_described: there is none. */
static size_t find_total(const struct plan *plan, size_t group, size_t index)
{
    size_t i = 0;

    while (i < plan->n_described &&
           (plan->columns[i].kind != COLUMN_TOTAL || plan->columns[i].group != group ||
            plan->columns[i].index != index))
        i++;
    return i;
}

/* The help tells the number from that of another event when a successor takes over totals. */
static int add_total(struct plan *plan, const struct event_group *group, size_t number,
                     const struct event *event, size_t index)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%s%s", plan->prefix, event->metric);
    text_append_format(&help, "%s, encoded as %s, in its group", event->name, event->encoding);
    return plan_add_number(plan,
                           (struct column){.kind = COLUMN_TOTAL,
                                           .form = NUMBER_COUNT,
                                           .index = index,
                                           .scale = 1,
                                           .group = number,
                                           .type = FAMILY_COUNTER,
                                           .labels = {{"group", (char *)group->name}}},
                           &name, &help);
}

static int add_terms(struct plan *plan, struct plan_ratio *ratio, const struct event_groups *groups)
{
    const struct event_group *group = &groups->groups[ratio->group];

    for (size_t i = 0; i < ratio->n_terms; i++) {
        const size_t member = ratio->terms[i].number, index = ratio->first + member;
        const size_t total = find_total(plan, ratio->group, index);
        int r = 0;

        if (total == plan->n_described)
            r = add_total(plan, group, ratio->group, group->members[member].event, index);
        if (r < 0)
            return r;
        ratio->terms[i].number = total;
    }
    return 0;
}

static int add_unknown(struct plan *plan, const struct event_group *group, size_t number)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%sgroup_unknown", plan->prefix);
    text_append_string(&help, "Whether the last interval of the group is not known");
    return plan_add_number(plan,
                           (struct column){.kind = COLUMN_GROUP_UNKNOWN,
                                           .form = NUMBER_COUNT,
                                           .index = number,
                                           .group = number,
                                           .type = FAMILY_GAUGE,
                                           .labels = {{"group", (char *)group->name}}},
                           &name, &help);
}

int plan_add_hidden(struct plan *plan, const struct event_groups *groups)
{
    int r = 0;

    for (size_t i = 0; i < plan->n_ratios && r == 0; i++)
        r = add_terms(plan, &plan->ratios[i], groups);
    for (size_t g = 0; g < groups->n_groups && r == 0; g++)
        if (groups->groups[g].n_opened > 0)
            r = add_unknown(plan, &groups->groups[g], g);
    return r;
}
