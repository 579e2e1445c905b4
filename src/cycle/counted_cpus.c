/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A collector counts on the CPUs that are online when it is made. When one goes or comes, a
 * successor takes over: what stays goes on without a gap, what was counted on a CPU that has gone
 * is read a last time, and a CPU that comes is counted afresh, also if it was away for a moment
 * only, since the kernel closes the counters of a CPU that goes.
 */
#include "cycle/counted_cpus.h"

#include <errno.h>
#include <stdio.h>

#include "resolve/resolution_decide.h"

static int count_offline(struct counted_cpus *cpus, const struct collector_setup *setup)
{
    AUTO(cpu_list) struct cpu_list *wanted = NULL, *offline = NULL;
    int r = resolution_system_cpus(setup->config, setup->sysfs_fd, cpus->known, &wanted);

    if (r >= 0)
        r = cpu_list_subtract(wanted, cpus->online, &offline);
    if (r >= 0)
        cpus->n_offline = offline->n;
    return r;
}

int counted_cpus_read(struct counted_cpus *cpus, const struct collector_setup *setup,
                      const struct counted_cpus *before)
{
    int r = cpu_births_read(setup->sysfs_fd, &cpus->births);

    if (r < 0)
        return r;
    cpus->online = cpus->births->online;
    if (pmu_list_read(setup->sysfs_fd, &cpus->pmus) == -ENOMEM)
        return -ENOMEM;
    r = cpu_list_unite(cpus->online, before ? before->known : cpus->online, &cpus->known);
    if (r >= 0 && before)
        r = cpu_births_common(cpus->births, before->births, &cpus->continuing);
    if (r >= 0)
        r = resolution_system_cpus(setup->config, setup->sysfs_fd, cpus->online, &cpus->system);
    return r < 0 ? r : count_offline(cpus, setup);
}

int counted_cpus_split(struct counted_cpus *cpus)
{
    cpus->single = calloc(cpus->system->n + 1, sizeof(struct cpu_list *));
    if (!cpus->single)
        return -ENOMEM;
    for (size_t i = 0; i < cpus->system->n; i++) {
        char number[16];
        int r;

        (void)snprintf(number, sizeof(number), "%d", cpus->system->cpus[i].value);
        r = cpu_list_parse(number, &cpus->single[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

void counted_cpus_done(struct counted_cpus *cpus)
{
    for (size_t i = 0; cpus->single && i < cpus->system->n; i++)
        (void)cpu_list_free(cpus->single[i]);
    free(cpus->single);
    (void)cpu_list_free(cpus->system);
    (void)pmu_list_free(cpus->pmus);
    for (enum config_by by = 0; by < CONFIG_BYS_; by++)
        (void)cpu_domains_free(cpus->domains[by]);
    (void)cpu_list_free(cpus->known);
    (void)cpu_list_free(cpus->continuing);
    (void)cpu_births_free(cpus->births);
    *cpus = (struct counted_cpus){0};
}

bool counted_cpus_changed(const struct counted_cpus *cpus, int sysfs_fd)
{
    AUTO(cpu_births) struct cpu_births *now = NULL;

    return cpu_births_read(sysfs_fd, &now) >= 0 && !cpu_births_equal(now, cpus->births);
}
