/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Columns follow from groups by three rules: an event's total and rate come from
 * the first group in which it can be counted; a ratio exists where one group has
 * all its events; an event that cannot be counted has no column.
 */
#include "metric/plan.h"

#include <errno.h>

#include "base/reference.h"
#include "base/text.h"
#include "metric/plan_build.h"

/* The object that is counted by reference. Callers see its member `plan` only. */
struct shared_plan {
    struct plan plan;
    struct reference reference;
};

static struct shared_plan *shared_of(struct plan *plan)
{
    return (struct shared_plan *)plan;
}

static struct plan *plan_free(struct plan *plan)
{
    plan_free_ratios(plan);
    plan_free_columns(plan);
    plan_free_histograms(plan);
    plan_free_breakdowns(plan);
    free(plan->prefix);
    free(plan->info_help);
    free(shared_of(plan));
    return NULL;
}

struct plan *plan_ref(struct plan *plan)
{
    reference_take(&shared_of(plan)->reference);
    return plan;
}

struct plan *plan_unref(struct plan *plan)
{
    if (plan && reference_drop(&shared_of(plan)->reference))
        return plan_free(plan);
    return NULL;
}

/* A gauge that describes the target as a whole and comes from no event. */
struct target_gauge {
    enum column_kind kind;
    enum number_form form;
    const char *name;
    const char *help;
};

static const struct target_gauge start_time = {
    COLUMN_START_TIME, NUMBER_SECONDS, "start_time_seconds",
    "Time at which counting of this birth began, in seconds since the epoch. What the target did "
    "before is not in its totals."};

static const struct target_gauge created_time = {
    COLUMN_CREATED_TIME, NUMBER_SECONDS, "created_time_seconds",
    "Time at which the target was made, in seconds since the epoch, as far as its file system "
    "tells. The target existed by then at the latest, and it is counted since its start time."};

static const struct target_gauge members = {COLUMN_MEMBERS, NUMBER_COUNT, "members",
                                            "Number of processes of the group that live now."};

static const struct target_gauge oldest_start_time = {
    COLUMN_START_TIME, NUMBER_SECONDS, "start_time_seconds",
    "Time at which the oldest living process of the group started, in seconds since the epoch, by "
    "the kernel. Each process counts from some milliseconds after it began to match, or from when "
    "it was found."};

static const struct target_gauge doubt = {
    COLUMN_UNATTRIBUTED, NUMBER_REAL, "unattributed_ratio",
    "Share of the target's time that may have been another's, because the kernel did not show a "
    "switch. What was counted in that time is given to nobody. Shares up to 0.005 are not shown."};

static int add_gauge(struct plan *plan, const struct plan_spec *spec,
                     const struct target_gauge *gauge)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%s%s", spec->prefix, gauge->name);
    text_append_string(&help, gauge->help);
    return plan_add_column(
        plan, (struct column){.kind = gauge->kind, .form = gauge->form, .type = FAMILY_GAUGE},
        &name, &help);
}

/* Names what all columns have in common: the prefix, and what the info family is about. */
static int name_plan(struct plan *plan, const struct plan_spec *spec)
{
    AUTO_TEXT struct text help = {0};

    plan->prefix = strdup(spec->prefix);
    text_append_format(&help, "Labels that describe %s. The value is always 1.", spec->target);
    plan->info_help = text_take(&help);
    return plan->prefix && plan->info_help ? 0 : -ENOMEM;
}

/* When it began, and who is in it. */
static int add_gauges(struct plan *plan, const struct plan_spec *spec)
{
    int r = 0;

    if (spec->start_time)
        r = add_gauge(plan, spec, &start_time);
    if (r == 0 && spec->created_time)
        r = add_gauge(plan, spec, &created_time);
    if (r == 0 && spec->members)
        r = add_gauge(plan, spec, &members);
    if (r == 0 && spec->members)
        r = add_gauge(plan, spec, &oldest_start_time);
    return r;
}

/* The order of the columns is the order of the families on the page. */
static int add_columns(struct plan *plan, const struct plan_spec *spec,
                       const struct event_groups *groups)
{
    int r = add_gauges(plan, spec);

    if (r == 0 && spec->cpu_time)
        r = plan_add_cpu_time(plan, spec);
    if (r == 0 && spec->totals)
        r = plan_add_totals(plan, spec, groups);
    if (r == 0)
        r = plan_add_by_domain(plan, spec, groups);
    if (r == 0 && spec->group_times)
        r = plan_add_group_times(plan, spec, groups);
    if (r == 0)
        r = plan_add_tallies(plan, spec);
    if (r == 0 && spec->doubt)
        r = add_gauge(plan, spec, &doubt);
    if (r == 0)
        r = plan_add_profile(plan, spec, groups);
    if (r == 0 && spec->rates)
        r = plan_add_rates(plan, spec, groups);
    if (r == 0 && spec->ratios)
        r = plan_add_ratios(plan, spec, groups);
    if (r == 0)
        r = plan_add_hidden(plan, groups);
    if (r == 0)
        r = plan_add_profile_bases(plan, spec, groups);
    if (r == 0)
        r = plan_add_histograms(plan, spec);
    if (r == 0)
        r = plan_add_breakdowns(plan, spec);
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
    reference_init(&shared->reference);
    plan = &shared->plan;
    r = name_plan(plan, spec);
    if (r == 0)
        r = add_columns(plan, spec, groups);
    if (r < 0)
        return r;
    *ret_plan = TAKE(plan);
    return 0;
}
