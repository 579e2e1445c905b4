/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The files that build a plan. Calls go one way: plan.c asks plan_events.c, plan_ratios.c,
 * plan_cpu_time.c, plan_by_domain.c, plan_latency.c, plan_profile.c and plan_hidden.c for their
 * columns, and each of these adds them by plan_column.c. Functions that return int return 0 or
 * -ENOMEM, after which the plan is to be freed.
 */

#include "base/text.h"
#include "metric/plan.h"

/* plan_column.c */

/* Adds a column whose name and help the texts hold; empties both. The group's name is copied. */
int plan_add_column(struct plan *plan, struct column column, struct text *name, struct text *help);

/* The same for a number that is not shown. No column is added behind it. */
int plan_add_number(struct plan *plan, struct column column, struct text *name, struct text *help);
void plan_free_columns(struct plan *plan);

/* plan_events.c */

/* Adds a total for each event that can be counted. */
int plan_add_totals(struct plan *plan, const struct plan_spec *spec,
                    const struct event_groups *groups);

/* Adds a rate for each event that has a total; clocks become "CPUs used". */
int plan_add_rates(struct plan *plan, const struct plan_spec *spec,
                   const struct event_groups *groups);

/* Adds the times that each open group wanted and had the PMU, and with rates its coverage. */
int plan_add_group_times(struct plan *plan, const struct plan_spec *spec,
                         const struct event_groups *groups);

/* plan_cpu_time.c */

/* Adds what the kernel accounts of the machine's CPU time (plan_spec.cpu_time). */
int plan_add_cpu_time(struct plan *plan, const struct plan_spec *spec);

/* plan_by_domain.c */

/* Adds what the target had in each of spec->domains. */
int plan_add_by_domain(struct plan *plan, const struct plan_spec *spec,
                       const struct event_groups *groups);

/* plan_latency.c */

/* Adds the tallies that spec->latency wants. */
int plan_add_tallies(struct plan *plan, const struct plan_spec *spec);

/* Adds the distributions that it wants. No column is added behind their numbers. */
int plan_add_histograms(struct plan *plan, const struct plan_spec *spec);
void plan_free_histograms(struct plan *plan);

/* plan_profile.c */

/* Adds how often the target was sampled, and where it has a clock whether that agrees with it. */
int plan_add_profile(struct plan *plan, const struct plan_spec *spec,
                     const struct event_groups *groups);

/* Adds from where on both are compared, which is not shown. */
int plan_add_profile_bases(struct plan *plan, const struct plan_spec *spec,
                           const struct event_groups *groups);

/* plan_breakdowns.c */

/* Adds what is shown of the breakdowns that spec->by_key wants. */
int plan_add_breakdowns(struct plan *plan, const struct plan_spec *spec);
void plan_free_breakdowns(struct plan *plan);

/* plan_ratios.c */

/* Adds each ratio, built in or configured, whose events one group can count. */
int plan_add_ratios(struct plan *plan, const struct plan_spec *spec,
                    const struct event_groups *groups);
void plan_free_ratios(struct plan *plan);

struct plan_ratio {
    struct formula *formula; /* its names are the members of the group, in their order */
    char *text;              /* the formula as it was written */
    size_t group;
    size_t first;     /* index of the group's first event in a sample */
    size_t n_members; /* of the group */
    struct plan_term *terms;
    size_t n_terms;
};

/* plan_hidden.c */

/* Adds the numbers that are not shown: the totals of the ratios' terms, which groups are known. */
int plan_add_hidden(struct plan *plan, const struct event_groups *groups);
