/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What targets show of each CPU, where the configuration says `by: cpu`. The CPUs are all that were
 * online since the first collector: one that goes offline keeps its series.
 */

#include "count/cpu_usage.h"
#include "metric/account.h"
#include "sys/cpu_list.h"

struct collector;

/* Says of which CPUs the plans show something. Before it is decided what is counted. */
void collector_plan_by_cpu(struct collector *collector);

/* Has the samples tell what each CPU had. After it is decided what is counted. 0 or -ENOMEM. */
int collector_sample_by_cpu(struct collector *collector);

/* How busy each CPU of the machine was, by the kernel's accounting. */
struct machine_cpus {
    const struct cpu_list *cpus; /* borrowed */
    struct cpu_usage *usages;    /* [cpu]; NULL: nobody wants to know */
};

/* 0 or -ENOMEM. */
int machine_cpus_init(struct machine_cpus *machine, const struct cpu_list *cpus);
void machine_cpus_done(struct machine_cpus *machine);

/* Goes on with the readings of another collector, for CPUs that both have. */
void machine_cpus_adopt(struct machine_cpus *machine, const struct machine_cpus *from);

/*
 * Adds to the account what each CPU was busy since the last reading. ret_all: the times of all CPUs
 * together, of the same instant. 0 or -errno; then nothing is added.
 */
int machine_cpus_derive(struct machine_cpus *machine, int procfs_fd, uint64_t now_ns,
                        struct account *account, struct cpu_time *ret_all);
