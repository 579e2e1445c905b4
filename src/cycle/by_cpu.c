/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/by_cpu.h"

#include <errno.h>
#include <stdlib.h>

#include "cycle/collector_parts.h"

/*
 * Counters of threads have no CPU. What would never be there is not planned, so that it takes
 * nothing of the limit of series.
 */
static bool is_counted_by_cpu(const struct collector *collector, const struct target_class *class)
{
    return class->by_cpu && (class->kind != SCOPE_PROCESS ||
                             setup_mechanism(&collector->setup, SCOPE_PROCESS)->counts_processes);
}

void collector_plan_by_cpu(struct collector *collector)
{
    for (size_t i = 0; i < collector->resolution->n_classes; i++) {
        struct target_class *class = &collector->resolution->classes[i];

        class->spec.cpus = is_counted_by_cpu(collector, class) ? collector->cpus.known : NULL;
    }
}

int collector_sample_by_cpu(struct collector *collector)
{
    const struct cpu_list *cpus = collector->cpus.known;
    const size_t n = cpus->n ? (size_t)cpus->cpus[cpus->n - 1].value + 1 : 0;
    int r = 0;

    for (size_t i = 0; i < collector->resolution->n_classes && r >= 0; i++) {
        const struct target_class *class = &collector->resolution->classes[i];

        if (!class->spec.cpus || class->spec.cpu_time)
            continue;
        r = sample_tell_cpus(class->sample, class->groups, n);
        if (r >= 0 && class->part)
            r = sample_tell_cpus(class->part, class->groups, n);
    }
    if (r >= 0 && collector->resolution->classes[CLASS_MACHINE].spec.cpus)
        r = machine_cpus_init(&collector->machine.each, cpus);
    return r;
}

int machine_cpus_init(struct machine_cpus *machine, const struct cpu_list *cpus)
{
    machine->cpus = cpus;
    machine->usages = calloc(cpus->n + 1, sizeof(*machine->usages));
    return machine->usages ? 0 : -ENOMEM;
}

void machine_cpus_done(struct machine_cpus *machine)
{
    free(machine->usages);
    *machine = (struct machine_cpus){0};
}

/* CPUs are in ascending order in both lists. */
void machine_cpus_adopt(struct machine_cpus *machine, const struct machine_cpus *from)
{
    size_t k = 0;

    if (!machine->usages || !from->usages)
        return;
    for (size_t i = 0; i < machine->cpus->n; i++) {
        while (k < from->cpus->n && from->cpus->cpus[k].value < machine->cpus->cpus[i].value)
            k++;
        if (k < from->cpus->n && from->cpus->cpus[k].value == machine->cpus->cpus[i].value)
            machine->usages[i] = from->usages[k];
    }
}

int machine_cpus_derive(struct machine_cpus *machine, int procfs_fd, uint64_t now_ns,
                        struct account *account, struct cpu_time *ret_all)
{
    const struct cpu_list *cpus = machine->cpus;
    AUTO_FREE uint64_t *busy_ns = calloc(cpus->n + 1, sizeof(*busy_ns));
    int r = busy_ns ? cpu_time_read_each(procfs_fd, cpus, busy_ns, ret_all) : -ENOMEM;

    for (size_t i = 0; i < cpus->n && r >= 0; i++) {
        const struct cpu_time reading = {.user_ns = busy_ns[i]};
        struct cpu_usage_delta delta;

        if (busy_ns[i] == UINT64_MAX) /* it is offline: its total stays */
            continue;
        delta = cpu_usage_advance(&machine->usages[i], &reading, now_ns);
        if (delta.state != CPU_USAGE_TOO_SOON)
            account_add_cpu_time(account, (size_t)cpus->cpus[i].value, delta.user_ns);
    }
    return r;
}
