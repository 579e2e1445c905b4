/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The domains by which it is told where something ran: each CPU is one of its own, or each NUMA
 * node is the domain of its CPUs.
 */

#include <stddef.h>

#include "base/cleanup.h"
#include "sys/cpu_list.h"

struct cpu_domains {
    const char *label; /* the label of metrics that names a domain: "cpu", "node"; static */
    const char *cpus;  /* what CPUs such a domain has, in words: "the CPU"; static */
    size_t n;          /* how many domains there are */
    int *numbers;      /* [n] as the kernel numbers them, ascending */
    size_t n_of;       /* the numbers of all CPUs are below it */
    int *of;           /* [CPU number] the number of its domain; -1: the CPU was not given */
};

/* Each of the CPUs is a domain, of the same number. 0 or -ENOMEM. The caller owns the domains. */
int cpu_domains_of_cpus(const struct cpu_list *cpus, struct cpu_domains **ret_domains);

/*
 * Each NUMA node that has one of the CPUs is a domain. Where the kernel tells no nodes, all CPUs
 * are of node 0. sysfs_fd: the root of sysfs. 0 or -ENOMEM. The caller owns the domains.
 */
int cpu_domains_of_nodes(const struct cpu_list *cpus, int sysfs_fd,
                         struct cpu_domains **ret_domains);

/* Above the numbers of all domains. */
size_t cpu_domains_end(const struct cpu_domains *domains);

struct cpu_domains *cpu_domains_free(struct cpu_domains *domains);
DEFINE_AUTO(cpu_domains, struct cpu_domains *, cpu_domains_free)
