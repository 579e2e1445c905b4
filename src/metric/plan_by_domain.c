/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a target had on each CPU or NUMA node, a column for each. Their families have names of their
 * own, so that who sums a family over its labels counts nothing twice.
 */
#include <errno.h>
#include <stdio.h>

#include "metric/plan_build.h"

static const struct family_by_domain {
    enum column_kind kind;
    enum number_form form;
    const char *name[2];    /* before and behind the label of the domains */
    const char *meaning[2]; /* before and behind their CPUs */
} families[CPU_COUNTS_] = {
    [CPU_COUNT_TIME] = {COLUMN_TIME_BY_DOMAIN,
                        NUMBER_SECONDS,
                        {"cpu_time_by_", "_seconds_total"},
                        {"Time for which ", " ran"}},
    [CPU_COUNT_SWITCHES] = {COLUMN_SWITCHES_BY_DOMAIN,
                            NUMBER_COUNT,
                            {"context_switches_by_", "_total"},
                            {"Context switches on ", ", of"}},
};

/* Adds a family: a column for each of the domains. */
static int add_family(struct plan *plan, const struct plan_spec *spec, enum cpu_count count,
                      size_t group, const char *meaning)
{
    const struct family_by_domain *family = &families[count];

    for (size_t i = 0; i < spec->domains->n; i++) {
        AUTO_TEXT struct text name = {0}, help = {0};
        char number[16];
        int r;

        (void)snprintf(number, sizeof(number), "%d", spec->domains->numbers[i]);
        text_append_format(&name, "%s%s%s%s", spec->prefix, family->name[0], spec->domains->label,
                           family->name[1]);
        text_append_string(&help, meaning);
        r = plan_add_column(plan,
                            (struct column){.kind = family->kind,
                                            .form = family->form,
                                            .index = (size_t)spec->domains->numbers[i],
                                            .group = group,
                                            .scale = 1,
                                            .type = FAMILY_COUNTER,
                                            .labels = {{spec->domains->label, number}}},
                            &name, &help);
        if (r < 0)
            return r;
    }
    return 0;
}

/* The event's total is the sum over domains, and its name says which one that is. */
static int add_count(struct plan *plan, const struct plan_spec *spec,
                     const struct event_groups *groups, enum cpu_count count)
{
    const struct cpu_count_source source = cpu_count_find(groups, count);
    const char *const *meaning = families[count].meaning;
    AUTO_TEXT struct text words = {0};

    if (!source.event)
        return 0;
    text_append_format(&words, "%s%s%s %s, by the event %s. Over all CPUs it is ", meaning[0],
                       spec->domains->cpus, meaning[1], spec->target, source.event->name);
    plan_append_total_name(&words, spec->prefix, source.event);
    text_append(&words, ".", sizeof("."));
    if (text_error(&words) < 0)
        return -ENOMEM;
    return add_family(plan, spec, count, source.group, words.data);
}

/* Of the machine. */
static int add_kernels_time(struct plan *plan, const struct plan_spec *spec)
{
    AUTO_TEXT struct text words = {0};

    text_append_format(&words,
                       "Time of %s that was not idle, by the kernel's accounting (/proc/stat). "
                       "Over all CPUs it is pmu_machine_cpu_seconds_total.%c",
                       spec->domains->cpus, '\0');
    if (text_error(&words) < 0)
        return -ENOMEM;
    return add_family(plan, spec, CPU_COUNT_TIME, 0, words.data);
}

int plan_add_by_domain(struct plan *plan, const struct plan_spec *spec,
                       const struct event_groups *groups)
{
    int r = 0;

    if (!spec->domains)
        return 0;
    if (spec->cpu_time)
        return add_kernels_time(plan, spec);
    for (enum cpu_count count = 0; count < CPU_COUNTS_ && r == 0; count++)
        r = add_count(plan, spec, groups, count);
    return r;
}
