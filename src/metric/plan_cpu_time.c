/* SPDX-License-Identifier: Apache-2.0 */

/* The columns of a target whose CPU time the kernel accounts for: the machine. */
#include "metric/plan_build.h"

static const struct cpu_time_column {
    enum column_kind kind;
    enum number_form form;
    enum family_type type;
    enum cpu_time_part part;
    const char *name;
    const char *help;
} known[] = {
    {COLUMN_CPUS, NUMBER_COUNT, FAMILY_GAUGE, 0, "cpus", "CPUs that are online"},
    {COLUMN_CPU_TIME, NUMBER_SECONDS, FAMILY_COUNTER, CPU_TIME_ALL, "cpu_seconds_total",
     "CPU time for which the machine was not idle, on all its CPUs: the kernel's user, nice, "
     "system, irq and softirq (/proc/stat), without what a hypervisor took (steal)"},
    {COLUMN_CPU_TIME, NUMBER_SECONDS, FAMILY_COUNTER, CPU_TIME_USER, "cpu_user_seconds_total",
     "The part of the machine's CPU time in user mode: user and nice, guests included"},
    {COLUMN_CPU_TIME, NUMBER_SECONDS, FAMILY_COUNTER, CPU_TIME_SYSTEM, "cpu_system_seconds_total",
     "The part of the machine's CPU time in the kernel: system, irq and softirq"},
    {COLUMN_CPU_TIME_RATE, NUMBER_REAL, FAMILY_GAUGE, 0, "cpus_used",
     "CPUs of the machine that were not idle in the last interval, by the kernel's accounting: "
     "what pmu_cgroup_cpus_used of a service is a share of"},
};

int plan_add_cpu_time(struct plan *plan, const struct plan_spec *spec)
{
    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        const struct column column = {.kind = known[i].kind,
                                      .form = known[i].form,
                                      .type = known[i].type,
                                      .index = known[i].part};
        AUTO_TEXT struct text name = {0}, help = {0};
        int r;

        if (column.kind == COLUMN_CPU_TIME_RATE && !spec->rates)
            continue;
        text_append_format(&name, "%s%s", spec->prefix, known[i].name);
        text_append_string(&help, known[i].help);
        r = plan_add_column(plan, column, &name, &help);
        if (r < 0)
            return r;
    }
    return 0;
}
