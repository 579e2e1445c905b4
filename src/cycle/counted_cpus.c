/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which CPUs are counted. A collector has those that are online when it is made; when
 * one goes or comes, a successor takes over: what stays goes on without a gap, what was
 * counted on a CPU that has gone is read a last time, and a CPU that comes is counted
 * afresh, also if it was away for a moment only.
 */
#include "cycle/collector_parts.h"
#include "sys/cpu_births.h"

static int read_wanted(const struct collector *collector, const struct cpu_list *of,
                       struct cpu_list **ret_cpus)
{
    const struct config_word *cpus = &collector->setup.config->system.cpus;
    AUTO(cpu_list) struct cpu_list *named = NULL, *others = NULL;
    int r = cpus->text ? cpu_list_parse(cpus->text, &named)
                       : cpu_list_read_nohz_full(collector->setup.sysfs_fd, &named);

    if (r < 0)
        return r;
    if (!cpus->text)
        return cpu_list_subtract(of, named, ret_cpus);
    r = cpu_list_subtract(of, named, &others);
    return r < 0 ? r : cpu_list_subtract(of, others, ret_cpus);
}

/* How many CPUs of the system scope were online once, and are not. */
static int count_offline(struct collector *collector)
{
    AUTO(cpu_list) struct cpu_list *wanted = NULL, *offline = NULL;
    int r = read_wanted(collector, collector->known_cpus, &wanted);

    if (r >= 0)
        r = cpu_list_subtract(wanted, collector->online, &offline);
    if (r >= 0)
        collector->n_offline = offline->n;
    return r;
}

int collector_read_cpus(struct collector *collector, const struct collector *predecessor)
{
    int r = cpu_births_read(collector->setup.sysfs_fd, &collector->cpu_births);

    if (r < 0)
        return r;
    collector->online = collector->cpu_births->online;
    r = cpu_list_unite(collector->online, predecessor ? predecessor->known_cpus : collector->online,
                       &collector->known_cpus);
    if (r >= 0 && predecessor)
        r = cpu_births_common(collector->cpu_births, predecessor->cpu_births,
                              &collector->continuing_cpus);
    if (r >= 0)
        r = read_wanted(collector, collector->online, &collector->system_cpus);
    return r < 0 ? r : count_offline(collector);
}

void collector_free_cpus(struct collector *collector)
{
    for (size_t i = 0; collector->single_cpus && i < collector->system_cpus->n; i++)
        (void)cpu_list_free(collector->single_cpus[i]);
    free(collector->single_cpus);
    (void)cpu_list_free(collector->system_cpus);
    (void)cpu_list_free(collector->known_cpus);
    (void)cpu_list_free(collector->continuing_cpus);
    (void)cpu_births_free(collector->cpu_births);
}

bool collector_cpus_changed(const struct collector *collector)
{
    AUTO(cpu_births) struct cpu_births *now = NULL;

    return cpu_births_read(collector->setup.sysfs_fd, &now) >= 0 &&
           !cpu_births_equal(now, collector->cpu_births);
}
