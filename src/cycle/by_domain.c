/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/by_domain.h"

#include <errno.h>
#include <stdlib.h>

#include "cycle/collector_parts.h"
#include "resolve/resolution_shown.h"

int collector_plan_by_domain(struct collector *collector)
{
    return resolution_show_domains(
        collector->resolution, collector->cpus.known, collector->setup.sysfs_fd,
        setup_mechanism(&collector->setup, SCOPE_PROCESS)->counts_processes,
        collector->cpus.domains);
}

int collector_sample_by_domain(struct collector *collector)
{
    const struct resolution *resolution = collector->resolution;
    const struct cpu_domains *of_machine = resolution->classes[CLASS_MACHINE].spec.domains;
    int r = 0;

    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++) {
        const struct target_class *class = &resolution->classes[i];

        if (!class->spec.domains || class->spec.cpu_time)
            continue;
        r = sample_tell_domains(class->sample, class->groups, class->spec.domains);
        if (r >= 0 && class->part)
            r = sample_tell_domains(class->part, class->groups, class->spec.domains);
    }
    if (r >= 0 && of_machine)
        r = machine_domains_init(&collector->machine.each, collector->cpus.known, of_machine);
    return r;
}

int machine_domains_init(struct machine_domains *machine, const struct cpu_list *cpus,
                         const struct cpu_domains *domains)
{
    machine->cpus = cpus;
    machine->domains = domains;
    machine->usages = calloc(cpus->n + 1, sizeof(*machine->usages));
    return machine->usages ? 0 : -ENOMEM;
}

void machine_domains_done(struct machine_domains *machine)
{
    free(machine->usages);
    *machine = (struct machine_domains){0};
}

/* CPUs are in ascending order in both lists. */
void machine_domains_adopt(struct machine_domains *machine, const struct machine_domains *from)
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

int machine_domains_derive(struct machine_domains *machine, int procfs_fd, uint64_t now_ns,
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
            account_add_cpu_time(account, (size_t)machine->domains->of[cpus->cpus[i].value],
                                 delta.user_ns);
    }
    return r;
}
