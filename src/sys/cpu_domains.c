/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cpu_domains.h"

#include <errno.h>
#include <stdlib.h>

#include "sys/cpu_topology.h"

static struct cpu_domains *make(const struct cpu_list *list, const char *label, const char *cpus)
{
    AUTO(cpu_domains) struct cpu_domains *domains = calloc(1, sizeof(*domains));

    if (!domains)
        return NULL;
    domains->label = label;
    domains->cpus = cpus;
    domains->n_of = list->n ? (size_t)list->cpus[list->n - 1].value + 1 : 0;
    domains->numbers = calloc(list->n + 1, sizeof(*domains->numbers));
    domains->of = calloc(domains->n_of + 1, sizeof(*domains->of));
    if (!domains->numbers || !domains->of)
        return NULL;
    for (size_t i = 0; i < domains->n_of; i++)
        domains->of[i] = -1;
    return TAKE(domains);
}

/* Keeps the numbers in ascending order, each once. */
static void add(struct cpu_domains *domains, struct cpu_number cpu, int number)
{
    size_t i = domains->n;

    domains->of[cpu.value] = number;
    while (i > 0 && domains->numbers[i - 1] > number)
        i--;
    if (i > 0 && domains->numbers[i - 1] == number)
        return;
    for (size_t k = domains->n++; k > i; k--)
        domains->numbers[k] = domains->numbers[k - 1];
    domains->numbers[i] = number;
}

int cpu_domains_of_cpus(const struct cpu_list *cpus, struct cpu_domains **ret_domains)
{
    struct cpu_domains *domains = make(cpus, "cpu", "the CPU");

    if (!domains)
        return -ENOMEM;
    for (size_t i = 0; i < cpus->n; i++)
        add(domains, cpus->cpus[i], cpus->cpus[i].value);
    *ret_domains = domains;
    return 0;
}

int cpu_domains_of_nodes(const struct cpu_list *cpus, int sysfs_fd,
                         struct cpu_domains **ret_domains)
{
    struct cpu_domains *domains = make(cpus, "node", "CPUs of the NUMA node");

    if (!domains)
        return -ENOMEM;
    for (size_t i = 0; i < cpus->n; i++) {
        const int node = cpu_topology_read(sysfs_fd, cpus->cpus[i]).node;

        add(domains, cpus->cpus[i], node < 0 ? 0 : node);
    }
    *ret_domains = domains;
    return 0;
}

size_t cpu_domains_end(const struct cpu_domains *domains)
{
    return domains->n ? (size_t)domains->numbers[domains->n - 1] + 1 : 0;
}

struct cpu_domains *cpu_domains_free(struct cpu_domains *domains)
{
    if (domains) {
        free(domains->numbers);
        free(domains->of);
    }
    free(domains);
    return NULL;
}
