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
#include "event/generic.h"
#include "metric/builtin_ratios.h"
#include "metric/formula.h"

struct plan_ratio {
    struct formula *formula;
    size_t group;
    size_t first;     /* index of the group's first event in a sample */
    size_t n_members; /* the formula's names are the group's members, in order */
};

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
    for (size_t i = 0; plan->ratios && i < plan->n_ratios; i++)
        (void)formula_free(plan->ratios[i].formula);
    free(plan->columns);
    free(plan->ratios);
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

/*
 * Adds a column whose name and help the texts hold; empties both. The group's name is copied.
 */
static int add_column(struct plan *plan, struct column column, struct text *name, struct text *help)
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

static int add_start_time(struct plan *plan, const struct plan_spec *spec)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%sstart_time_seconds", spec->prefix);
    text_append_string(&help, "When counting of this birth began, in seconds since the epoch");
    return add_column(
        plan,
        (struct column){.kind = COLUMN_START_TIME, .form = NUMBER_SECONDS, .type = FAMILY_GAUGE},
        &name, &help);
}

static int add_total(struct plan *plan, const struct plan_spec *spec, const struct event *event,
                     size_t group, size_t index)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    bool clock = event->unit == EVENT_UNIT_NANOSECONDS;

    text_append_format(&name, "%s%s%s_total", spec->prefix, event->metric, clock ? "_seconds" : "");
    text_append_format(&help, "%s, in %s; event %s, %s", event->description, spec->target,
                       event->name, event->encoding);
    return add_column(plan,
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
    return add_column(plan,
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
            r = add_column(plan,
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

/* Whether the group counts every event that the formula uses. */
static bool group_counts(const struct event_group *group, const struct formula *formula)
{
    for (size_t i = 0; i < group->n_members; i++)
        if (formula_uses(formula, i) && group->members[i].absence != ABSENCE_NONE)
            return false;
    return true;
}

/*
 * Reads the formula over the names of one group's members. 1 and the formula,
 * 0 where the group does not serve it, -ENOMEM.
 */
static int bind_formula(const char *text, const struct event_group *group,
                        struct formula **ret_formula)
{
    AUTO(formula) struct formula *formula = NULL;
    AUTO_FREE const char **names = calloc(group->n_members + 1, sizeof(*names));
    struct formula_error error;
    int r;

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < group->n_members; i++)
        names[i] = event_generic_canonical(group->members[i].event->name);
    r = formula_parse(text, names, group->n_members, &formula, &error);
    if (r == -EINVAL) {
        for (size_t i = 0; i < group->n_members; i++)
            names[i] = group->members[i].event->name;
        r = formula_parse(text, names, group->n_members, &formula, &error);
    }
    if (r < 0)
        return r == -EINVAL ? 0 : r;
    if (!group_counts(group, formula))
        return 0;
    *ret_formula = TAKE(formula);
    return 1;
}

static int add_ratio(struct plan *plan, const struct plan_spec *spec,
                     const struct event_groups *groups, const char *ratio_name,
                     const char *formula_text, const char *ratio_help)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    struct plan_ratio ratio = {0}, *ratios;
    int r = 0;

    for (size_t g = 0; g < groups->n_groups && r == 0; g++) {
        const struct event_group *group = &groups->groups[g];

        ratio.group = g;
        ratio.first = group->first;
        ratio.n_members = group->n_members;
        r = bind_formula(formula_text, group, &ratio.formula);
    }
    if (r <= 0)
        return r;
    ratios = reallocarray(plan->ratios, plan->n_ratios + 1, sizeof(*ratios));
    if (!ratios) {
        (void)formula_free(ratio.formula);
        return -ENOMEM;
    }
    plan->ratios = ratios;
    ratios[plan->n_ratios++] = ratio;
    text_append_format(&name, "%s%s", spec->prefix, ratio_name);
    text_append_format(&help, "%s in the last interval, in %s; %s", ratio_help, spec->target,
                       formula_text);
    return add_column(plan,
                      (struct column){.kind = COLUMN_RATIO,
                                      .form = NUMBER_REAL,
                                      .index = plan->n_ratios - 1,
                                      .group = ratio.group,
                                      .type = FAMILY_GAUGE},
                      &name, &help);
}

/* A ratio of the configuration takes the place of a built-in one of the same name. */
static bool is_configured(const struct plan_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_ratio_specs; i++)
        if (strcmp(spec->ratio_specs[i].name, name) == 0)
            return true;
    return false;
}

static int add_ratios(struct plan *plan, const struct plan_spec *spec,
                      const struct event_groups *groups)
{
    int r = 0;

    for (size_t i = 0; i < n_builtin_ratios && r >= 0; i++)
        if (!is_configured(spec, builtin_ratios[i].name))
            r = add_ratio(plan, spec, groups, builtin_ratios[i].name, builtin_ratios[i].formula,
                          builtin_ratios[i].help);
    for (size_t i = 0; i < spec->n_ratio_specs && r >= 0; i++)
        r = add_ratio(plan, spec, groups, spec->ratio_specs[i].name, spec->ratio_specs[i].formula,
                      "Ratio of the configuration");
    return r;
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
        r = add_start_time(plan, spec);
    if (r >= 0 && spec->totals)
        r = add_events(plan, spec, groups, false);
    if (r >= 0 && spec->group_times)
        r = add_group_times(plan, spec, groups);
    if (r >= 0 && spec->rates)
        r = add_events(plan, spec, groups, true);
    if (r >= 0 && spec->ratios)
        r = add_ratios(plan, spec, groups);
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

bool plan_ratio_value(const struct plan *plan, size_t ratio, const struct sample *sample,
                      double *ret_value)
{
    const struct plan_ratio *bound = &plan->ratios[ratio];
    const struct group_sample *group = &sample->groups[bound->group];
    double values[EVENT_GROUP_MAX];

    if (!group->counted || !group->ran || group->unknown)
        return false;
    for (size_t i = 0; i < bound->n_members && i < EVENT_GROUP_MAX; i++)
        values[i] = sample->events[bound->first + i].exact;
    return formula_value(bound->formula, values, ret_value);
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
