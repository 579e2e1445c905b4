/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Columns follow from groups by three rules: an event's total and rate come from
 * the first group in which it can be counted; a ratio exists where one group has
 * all its events; what cannot be counted has no column.
 */
#include "metric/plan.h"

#include <errno.h>
#include <stdatomic.h>

#include "base/text.h"
#include "metric/plan_build.h"

/* The counted object; `plan` is what others see. */
struct shared_plan {
    struct plan plan;
    atomic_uint references;
};

static struct shared_plan *shared_of(struct plan *plan)
{
    return (struct shared_plan *)plan;
}

static struct plan *plan_free(struct plan *plan)
{
    for (size_t i = 0; plan->columns && i < plan->n_columns; i++) {
        free(plan->columns[i].name);
        free(plan->columns[i].help);
        free(plan->columns[i].group_name);
    }
    plan_free_ratios(plan);
    free(plan->columns);
    free(plan->prefix);
    free(plan->info_help);
    free(shared_of(plan));
    return NULL;
}

struct plan *plan_ref(struct plan *plan)
{
    atomic_fetch_add_explicit(&shared_of(plan)->references, 1, memory_order_relaxed);
    return plan;
}

struct plan *plan_unref(struct plan *plan)
{
    if (plan &&
        atomic_fetch_sub_explicit(&shared_of(plan)->references, 1, memory_order_acq_rel) == 1)
        return plan_free(plan);
    return NULL;
}

int plan_add_column(struct plan *plan, struct column column, struct text *name, struct text *help)
{
    AUTO_FREE char *name_string = text_take(name);
    AUTO_FREE char *help_string = text_take(help);
    AUTO_FREE char *group_name = column.group_name ? strdup(column.group_name) : NULL;
    struct column *columns;

    if (!name_string || !help_string || (column.group_name && !group_name))
        return -ENOMEM;
    columns = reallocarray(plan->columns, plan->n_columns + 1, sizeof(*columns));
    if (!columns)
        return -ENOMEM;
    column.name = TAKE(name_string);
    column.help = TAKE(help_string);
    column.group_name = TAKE(group_name);
    plan->columns = columns;
    columns[plan->n_columns++] = column;
    return 0;
}

static int add_gauge(struct plan *plan, const struct plan_spec *spec, enum column_kind kind,
                     enum number_form form, const char *what, const char *help_text)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%s%s", spec->prefix, what);
    text_append_string(&help, help_text);
    return plan_add_column(plan, (struct column){.kind = kind, .form = form, .type = FAMILY_GAUGE},
                           &name, &help);
}

static int add_birth(struct plan *plan, const struct plan_spec *spec)
{
    return add_gauge(plan, spec, COLUMN_START_TIME, NUMBER_SECONDS, "start_time_seconds",
                     "When counting of this birth began, in seconds since the epoch; what it did "
                     "before is not in its totals");
}

static int add_creation(struct plan *plan, const struct plan_spec *spec)
{
    return add_gauge(plan, spec, COLUMN_CREATED_TIME, NUMBER_SECONDS, "created_time_seconds",
                     "When it was made, in seconds since the epoch, as far as its file system "
                     "tells: it stood by then at the latest, and is counted since the start time");
}

static int add_members(struct plan *plan, const struct plan_spec *spec)
{
    int r = add_gauge(plan, spec, COLUMN_MEMBERS, NUMBER_COUNT, "members",
                      "Processes of the group that live now");

    return r < 0 ? r
                 : add_gauge(plan, spec, COLUMN_START_TIME, NUMBER_SECONDS, "start_time_seconds",
                             "When the oldest living process of the group started, in seconds "
                             "since the epoch, by the kernel; each counts from some milliseconds "
                             "after it began to match, or from when it was found");
}

static int add_doubt(struct plan *plan, const struct plan_spec *spec)
{
    return add_gauge(plan, spec, COLUMN_UNATTRIBUTED, NUMBER_REAL, "unattributed_ratio",
                     "Share of its time that may have been another's, since the kernel did not "
                     "show a switch: what was counted in it is nobody's; only above 0.005");
}

static int add_total(struct plan *plan, const struct plan_spec *spec, const struct event *event,
                     size_t group, size_t index)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    bool clock = event->unit == EVENT_UNIT_NANOSECONDS;

    text_append_format(&name, "%s%s%s_total", spec->prefix, event->metric, clock ? "_seconds" : "");
    text_append_format(&help, "%s, in %s; event %s, %s", event->description, spec->target,
                       event->name, event->encoding);
    return plan_add_column(plan,
                           (struct column){.kind = COLUMN_TOTAL,
                                           .form = clock ? NUMBER_SECONDS : NUMBER_COUNT,
                                           .index = index,
                                           .group = group,
                                           .type = FAMILY_COUNTER},
                           &name, &help);
}

static int add_rate(struct plan *plan, const struct plan_spec *spec, const struct event *event,
                    size_t group, size_t index)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    bool clock = event->unit == EVENT_UNIT_NANOSECONDS;

    if (clock && !event->is_clock)
        return 0;
    if (clock) {
        text_append_format(&name, "%scpus_used", spec->prefix);
        text_append_format(&help, "CPUs used by %s in the last interval", spec->target);
    } else {
        text_append_format(&name, "%s%s_per_second", spec->prefix, event->metric);
        text_append_format(&help, "Rate of %s in the last interval, in %s", event->name,
                           spec->target);
    }
    return plan_add_column(plan,
                           (struct column){.kind = clock ? COLUMN_CPUS_USED : COLUMN_RATE,
                                           .form = NUMBER_REAL,
                                           .index = index,
                                           .group = group,
                                           .type = FAMILY_GAUGE},
                           &name, &help);
}

/* Whether an earlier member of any group already gives this event its total. */
static bool counted_before(const struct event_groups *groups, size_t group, size_t member)
{
    const char *metric = groups->groups[group].members[member].event->metric;

    for (size_t g = 0; g <= group; g++) {
        const struct event_group *earlier = &groups->groups[g];
        size_t end = g == group ? member : earlier->n_members;

        for (size_t i = 0; i < end; i++)
            if (earlier->members[i].absence == ABSENCE_NONE &&
                strcmp(earlier->members[i].event->metric, metric) == 0)
                return true;
    }
    return false;
}

/* Two clocks in one plan would both be "CPUs used": the first is. */
static bool has_kind(const struct plan *plan, enum column_kind kind)
{
    for (size_t i = 0; i < plan->n_columns; i++)
        if (plan->columns[i].kind == kind)
            return true;
    return false;
}

static int add_events(struct plan *plan, const struct plan_spec *spec,
                      const struct event_groups *groups, bool rates)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++) {
            const struct event *event = group->members[i].event;
            int r;

            if (group->members[i].absence != ABSENCE_NONE || counted_before(groups, g, i))
                continue;
            if (rates && event->is_clock && has_kind(plan, COLUMN_CPUS_USED))
                continue;
            r = rates ? add_rate(plan, spec, event, g, group->first + i)
                      : add_total(plan, spec, event, g, group->first + i);
            if (r < 0)
                return r;
        }
    }
    return 0;
}

static const struct group_column {
    enum column_kind kind;
    enum number_form form;
    enum family_type type;
    const char *name;
    const char *help;
} group_columns[] = {
    {COLUMN_GROUP_ENABLED, NUMBER_SECONDS, FAMILY_COUNTER, "group_enabled_seconds_total",
     "Time for which the group wanted the PMU, summed over CPUs, in"},
    {COLUMN_GROUP_RUNNING, NUMBER_SECONDS, FAMILY_COUNTER, "group_running_seconds_total",
     "Time for which the group had the PMU, summed over CPUs, in"},
    {COLUMN_GROUP_COVERAGE, NUMBER_REAL, FAMILY_GAUGE, "group_coverage_ratio",
     "Share of its time for which the group had the PMU in the last interval, in"},
};

static int add_group_times(struct plan *plan, const struct plan_spec *spec,
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
            text_append_format(&help, "%s %s", known->help, spec->target);
            r = plan_add_column(plan,
                                (struct column){.kind = known->kind,
                                                .form = known->form,
                                                .index = g,
                                                .group = g,
                                                .type = known->type,
                                                .group_name = (char *)groups->groups[g].name},
                                &name, &help);
            if (r < 0)
                return r;
        }
    return 0;
}

static int fill(struct plan *plan, const struct plan_spec *spec, const struct event_groups *groups)
{
    AUTO_TEXT struct text help = {0};
    int r = 0;

    plan->prefix = strdup(spec->prefix);
    text_append_format(&help, "What is known of %s beside its numbers", spec->target);
    plan->info_help = text_take(&help);
    if (!plan->prefix || !plan->info_help)
        return -ENOMEM;
    if (spec->start_time)
        r = add_birth(plan, spec);
    if (r >= 0 && spec->created_time)
        r = add_creation(plan, spec);
    if (r >= 0 && spec->members)
        r = add_members(plan, spec);
    if (r >= 0 && spec->cpu_time)
        r = plan_add_cpu_time(plan, spec);
    if (r >= 0 && spec->totals)
        r = add_events(plan, spec, groups, false);
    if (r >= 0 && spec->group_times)
        r = add_group_times(plan, spec, groups);
    if (r >= 0 && spec->doubt)
        r = add_doubt(plan, spec);
    if (r >= 0 && spec->rates)
        r = add_events(plan, spec, groups, true);
    if (r >= 0 && spec->ratios)
        r = plan_add_ratios(plan, spec, groups);
    return r;
}

int plan_new(const struct plan_spec *spec, const struct event_groups *groups,
             struct plan **ret_plan)
{
    struct shared_plan *shared = calloc(1, sizeof(*shared));
    AUTO(plan) struct plan *plan = NULL;
    int r;

    if (!shared)
        return -ENOMEM;
    atomic_init(&shared->references, 1);
    plan = &shared->plan;
    r = fill(plan, spec, groups);
    if (r < 0)
        return r;
    *ret_plan = TAKE(plan);
    return 0;
}

size_t plan_row_bytes(const struct plan *plan, size_t labels_bytes)
{
    const size_t longest_number = 24;
    size_t bytes = 0;

    for (size_t i = 0; i < plan->n_columns; i++) {
        const char *group = plan->columns[i].group_name;

        bytes += strlen(plan->columns[i].name) + labels_bytes + longest_number +
                 (group ? strlen(group) + sizeof(",group=\"\"") : 0);
    }
    return bytes;
}

size_t plan_head_bytes(const struct plan *plan)
{
    size_t bytes = 0;

    for (size_t i = 0; i < plan->n_columns; i++)
        bytes += 2 * strlen(plan->columns[i].name) + strlen(plan->columns[i].help) +
                 sizeof("# HELP  \n# TYPE  counter\n");
    return bytes;
}
