/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How often stacks of a target were sampled, and whether that is in proportion to the time that it
 * ran. Both are compared from some moment on, which nobody is shown: a sample alone says little,
 * and so do the few that a second has.
 */
#include <errno.h>

#include "metric/plan_build.h"

static int add_samples(struct plan *plan, const struct plan_spec *spec)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%sprofile_samples_total", spec->prefix);
    text_append_format(&help,
                       "Number of stacks that were sampled of %s, at a constant rate on each CPU "
                       "that it ran on.",
                       spec->target);
    return plan_add_column(plan,
                           (struct column){.kind = COLUMN_PROFILE_SAMPLES,
                                           .form = NUMBER_COUNT,
                                           .scale = 1,
                                           .type = FAMILY_COUNTER},
                           &name, &help);
}

static int add_ratio(struct plan *plan, const struct plan_spec *spec,
                     const struct cpu_count_source *clock)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%sprofile_cpu_ratio", spec->prefix);
    text_append_format(&help,
                       "CPU time by the samples of %s / its CPU time by %s, over some minutes: 1 "
                       "where both agree. It is there from 100 samples on.",
                       spec->target, clock->event->name);
    return plan_add_column(
        plan,
        (struct column){.kind = COLUMN_PROFILE_RATIO, .form = NUMBER_REAL, .type = FAMILY_GAUGE},
        &name, &help);
}

int plan_add_profile(struct plan *plan, const struct plan_spec *spec,
                     const struct event_groups *groups)
{
    const struct cpu_count_source clock = cpu_count_find(groups, CPU_COUNT_TIME);
    int r = 0;

    if (spec->profiles)
        r = add_samples(plan, spec);
    if (r == 0 && spec->profiles && clock.event)
        r = add_ratio(plan, spec, &clock);
    return r;
}

/* The help tells the number from that of another clock when a successor takes over totals. */
static int add_base(struct plan *plan, enum column_kind kind, const char *part,
                    const struct cpu_count_source *clock)
{
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%s%s", plan->prefix, part);
    text_append_format(&help, "From where on samples are compared with %s", clock->event->name);
    return plan_add_number(plan,
                           (struct column){.kind = kind,
                                           .form = NUMBER_COUNT,
                                           .index = clock->index,
                                           .group = clock->group,
                                           .scale = 1,
                                           .type = FAMILY_COUNTER},
                           &name, &help);
}

int plan_add_profile_bases(struct plan *plan, const struct plan_spec *spec,
                           const struct event_groups *groups)
{
    const struct cpu_count_source clock = cpu_count_find(groups, CPU_COUNT_TIME);
    int r;

    if (!spec->profiles || !clock.event)
        return 0;
    r = add_base(plan, COLUMN_PROFILE_BASE, "profile_base", &clock);
    return r < 0 ? r : add_base(plan, COLUMN_PROFILE_CLOCK, "profile_base_clock", &clock);
}
