/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What targets show of each CPU or NUMA node, where the configuration says `by: cpu` or `by: node`.
 * The CPUs are all that were online since the first collector: one that goes offline keeps its
 * series.
 */

#include "count/cpu_usage.h"
#include "metric/account.h"
#include "sys/cpu_domains.h"
#include "sys/cpu_list.h"

struct collector;

/*
 * Says of which domains the plans show something. Before it is decided what is counted. 0 or
 * -ENOMEM.
 */
int collector_plan_by_domain(struct collector *collector);

/* Has the samples tell what each domain had. After it is decided what is counted. 0 or -ENOMEM. */
int collector_sample_by_domain(struct collector *collector);

/* How busy each CPU of the machine was, by the kernel's accounting. */
struct machine_domains {
    const struct cpu_list *cpus;       /* borrowed */
    const struct cpu_domains *domains; /* borrowed; to which of them the time of a CPU is added */
    struct cpu_usage *usages;          /* [cpu]; NULL: nobody wants to know */
};

/* 0 or -ENOMEM. */
int machine_domains_init(struct machine_domains *machine, const struct cpu_list *cpus,
                         const struct cpu_domains *domains);
void machine_domains_done(struct machine_domains *machine);

/* Goes on with the readings of another collector, for CPUs that both have. */
void machine_domains_adopt(struct machine_domains *machine, const struct machine_domains *from);

/*
 * Adds to the account what the CPUs of each domain were busy since the last reading. ret_all: the
 * times of all CPUs together, of the same instant. 0 or -errno; then nothing is added.
 */
int machine_domains_derive(struct machine_domains *machine, int procfs_fd, uint64_t now_ns,
                           struct account *account, struct cpu_time *ret_all);
