/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The columns of events and of their groups. An event may stand in several groups, but it has
 * one total and one rate: those of the first group in which it can be counted. Other groups
 * count it too, but only so that their ratios compare what was counted together.
 */
#include "metric/plan_build.h"

#include <errno.h>

/* "pmu_cgroup_power_energy_pkg_joules": the unit stands in the name, as promtool asks. */
static void append_name(struct text *name, const char *prefix, const struct event *event)
{
    text_append_format(name, "%s%s", prefix, event->metric);
    if (event->unit)
        text_append_format(name, "_%s", event->unit);
}

void plan_append_total_name(struct text *name, const char *prefix, const struct event *event)
{
    append_name(name, prefix, event);
    text_append_string(name, "_total");
}

static enum number_form total_form(const struct event *event)
{
    if (event->scale == 1)
        return NUMBER_COUNT;
    return event_counts_nanoseconds(event) ? NUMBER_SECONDS : NUMBER_SCALED;
}

/* All tracepoints that wildcards stand for are one family; their names are labels. */
static int add_hits(struct plan *plan, const struct plan_spec *spec, const struct event *event,
                    size_t group, size_t index)
{
    AUTO_FREE char *subsystem = strndup(event->name, strcspn(event->name, ":"));
    AUTO_TEXT struct text name = {0}, help = {0};

    if (!subsystem)
        return -ENOMEM;
    plan_append_total_name(&name, spec->prefix, event);
    text_append_format(&help,
                       "Hits of the tracepoints for which a wildcard stands in the "
                       "configuration, each by its name, in %s.",
                       spec->target);
    return plan_add_column(
        plan,
        (struct column){.kind = COLUMN_TOTAL,
                        .form = NUMBER_COUNT,
                        .index = index,
                        .scale = 1,
                        .group = group,
                        .type = FAMILY_COUNTER,
                        .labels = {{"subsystem", subsystem},
                                   {"name", event->name + strlen(subsystem) + strlen(":")}}},
        &name, &help);
}

static int add_total(struct plan *plan, const struct plan_spec *spec, const struct event *event,
                     size_t group, size_t index)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    if (event->is_of_subsystem)
        return add_hits(plan, spec, event, group, index);
    plan_append_total_name(&name, spec->prefix, event);
    text_append_format(&help, "%s, in %s. The event", event->description, spec->target);
    if (spec->pmu) /* other PMUs have other events in this family */
        text_append_format(&help, " of the PMU %s", spec->pmu);
    text_append_format(&help, " is %s, encoded as %s.", event->name, event->encoding);
    return plan_add_column(plan,
                           (struct column){.kind = COLUMN_TOTAL,
                                           .form = total_form(event),
                                           .index = index,
                                           .scale = event->scale,
                                           .group = group,
                                           .type = FAMILY_COUNTER},
                           &name, &help);
}

/*
 * A time that is no clock has no rate: nobody asks how many of its seconds pass in a second. Nor
 * have the many tracepoints of a wildcard: rates would be as many series again.
 */
static int add_rate(struct plan *plan, const struct plan_spec *spec, const struct event *event,
                    size_t group, size_t index)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    bool clock = event_counts_nanoseconds(event);

    if ((clock && !event->is_clock) || event->is_of_subsystem)
        return 0;
    if (clock) {
        text_append_format(&name, "%scpus_used", spec->prefix);
        text_append_format(&help, "Number of CPUs that %s used on average in the last interval.",
                           spec->target);
    } else {
        append_name(&name, spec->prefix, event);
        text_append_string(&name, "_per_second");
        text_append_format(&help, "Rate of the event %s in the last interval, in %s.", event->name,
                           spec->target);
    }
    return plan_add_column(plan,
                           (struct column){.kind = clock ? COLUMN_CPUS_USED : COLUMN_RATE,
                                           .form = NUMBER_REAL,
                                           .index = index,
                                           .scale = event->scale,
                                           .group = group,
                                           .type = FAMILY_GAUGE},
                           &name, &help);
}

static bool has_same_total(const struct event *a, const struct event *b)
{
    if (a->is_of_subsystem || b->is_of_subsystem)
        return a->is_of_subsystem == b->is_of_subsystem && strcmp(a->name, b->name) == 0;
    return strcmp(a->metric, b->metric) == 0;
}

/* Whether an earlier member of any group already gives this event its total. */
static bool is_counted_before(const struct event_groups *groups, size_t group, size_t member)
{
    const struct event *event = groups->groups[group].members[member].event;

    for (size_t g = 0; g <= group; g++) {
        const struct event_group *earlier = &groups->groups[g];
        size_t end = g == group ? member : earlier->n_members;

        for (size_t i = 0; i < end; i++)
            if (earlier->members[i].absence == ABSENCE_NONE &&
                has_same_total(earlier->members[i].event, event))
                return true;
    }
    return false;
}

/* Two clocks in one plan would both be "CPUs used". The first one is, the others have no rate. */
static bool has_cpus_used(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_columns; i++)
        if (plan->columns[i].kind == COLUMN_CPUS_USED)
            return true;
    return false;
}

int plan_add_totals(struct plan *plan, const struct plan_spec *spec,
                    const struct event_groups *groups)
{
    int r = 0;

    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members && r == 0; i++)
            if (group->members[i].absence == ABSENCE_NONE && !is_counted_before(groups, g, i))
                r = add_total(plan, spec, group->members[i].event, g, group->first + i);
    }
    return r;
}

int plan_add_rates(struct plan *plan, const struct plan_spec *spec,
                   const struct event_groups *groups)
{
    int r = 0;

    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members && r == 0; i++) {
            const struct event *event = group->members[i].event;

            if (group->members[i].absence != ABSENCE_NONE || is_counted_before(groups, g, i))
                continue;
            if (!event->is_clock || !has_cpus_used(plan))
                r = add_rate(plan, spec, event, g, group->first + i);
        }
    }
    return r;
}

static const struct group_column {
    enum column_kind kind;
    enum number_form form;
    enum family_type type;
    const char *name;
    const char *help;
} group_columns[] = {
    {COLUMN_GROUP_ENABLED, NUMBER_SECONDS, FAMILY_COUNTER, "group_enabled_seconds_total",
     "Time for which the group of events wanted the PMU, summed over CPUs, in"},
    {COLUMN_GROUP_RUNNING, NUMBER_SECONDS, FAMILY_COUNTER, "group_running_seconds_total",
     "Time for which the group of events had the PMU, summed over CPUs, in"},
    {COLUMN_GROUP_COVERAGE, NUMBER_REAL, FAMILY_GAUGE, "group_coverage_ratio",
     "Time for which the group of events had the PMU in the last interval, divided by the time "
     "for which it wanted it, in"},
};

int plan_add_group_times(struct plan *plan, const struct plan_spec *spec,
                         const struct event_groups *groups)
{
    for (size_t c = 0; c < ARRAY_SIZE(group_columns); c++)
        for (size_t g = 0; g < groups->n_groups; g++) {
            const struct group_column *known = &group_columns[c];
            AUTO_TEXT struct text name = {0}, help = {0};
            int r;

            if (groups->groups[g].n_opened == 0 || (known->form == NUMBER_REAL && !spec->rates))
                continue;
            text_append_format(&name, "%s%s", spec->prefix, known->name);
            text_append_format(&help, "%s %s.", known->help, spec->target);
            r = plan_add_column(
                plan,
                (struct column){.kind = known->kind,
                                .form = known->form,
                                .index = g,
                                .group = g,
                                .type = known->type,
                                .labels = {{"group", (char *)groups->groups[g].name}}},
                &name, &help);
            if (r < 0)
                return r;
        }
    return 0;
}
