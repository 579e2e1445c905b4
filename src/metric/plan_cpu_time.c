/* SPDX-License-Identifier: Apache-2.0 */

/* The columns of a target whose CPU time the kernel accounts for: that is only the machine. */
#include "metric/plan_build.h"

static const struct cpu_time_column {
    enum column_kind kind;
    enum number_form form;
    enum family_type type;
    enum cpu_time_part part;
    const char *name;
    const char *help;
} cpu_time_columns[] = {
    {COLUMN_CPUS, NUMBER_COUNT, FAMILY_GAUGE, 0, "cpus", "Number of CPUs that are online."},
    {COLUMN_CPU_TIME, NUMBER_SECONDS, FAMILY_COUNTER, CPU_TIME_ALL, "cpu_seconds_total",
     "CPU time for which the machine was not idle, summed over its CPUs. It is the kernel's user, "
     "nice, system, irq and softirq time (/proc/stat), without the time that a hypervisor took "
     "(steal)."},
    {COLUMN_CPU_TIME, NUMBER_SECONDS, FAMILY_COUNTER, CPU_TIME_USER, "cpu_user_seconds_total",
     "Part of the machine's CPU time that was spent in user mode: user and nice, guests included."},
    {COLUMN_CPU_TIME, NUMBER_SECONDS, FAMILY_COUNTER, CPU_TIME_SYSTEM, "cpu_system_seconds_total",
     "Part of the machine's CPU time that was spent in the kernel: system, irq and softirq."},
    {COLUMN_CPU_TIME_RATE, NUMBER_REAL, FAMILY_GAUGE, 0, "cpus_used",
     "Number of CPUs of the machine that were not idle on average in the last interval, by the "
     "kernel's accounting. The pmu_cgroup_cpus_used of a service is a share of this."},
};

int plan_add_cpu_time(struct plan *plan, const struct plan_spec *spec)
{
    for (size_t i = 0; i < ARRAY_SIZE(cpu_time_columns); i++) {
        const struct column column = {.kind = cpu_time_columns[i].kind,
                                      .form = cpu_time_columns[i].form,
                                      .type = cpu_time_columns[i].type,
                                      .index = cpu_time_columns[i].part};
        AUTO_TEXT struct text name = {0}, help = {0};
        int r;

        if (column.kind == COLUMN_CPU_TIME_RATE && !spec->rates)
            continue;
        text_append_format(&name, "%s%s", spec->prefix, cpu_time_columns[i].name);
        text_append_string(&help, cpu_time_columns[i].help);
        r = plan_add_column(plan, column, &name, &help);
        if (r < 0)
            return r;
    }
    return 0;
}
