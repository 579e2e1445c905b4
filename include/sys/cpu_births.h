/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which CPUs are online, and whether they were so all the time. When a CPU goes offline, the perf
 * events that are open on it stand still without an error, and stay so when the CPU is back. So it
 * matters that a CPU was away, however short that was.
 */

#include <stdint.h>

#include "sys/cpu_list.h"

struct cpu_births {
    struct cpu_list *online;
    uint64_t *births; /* a number for each online CPU, another one whenever it comes back */
};

/*
 * sysfs_fd: the root of sysfs. The number is the inode of the CPU's topology directory, which the
 * kernel removes with the CPU (drivers/base/topology.c); 0 where there is none. 0 or -errno. The
 * caller owns the result.
 */
int cpu_births_read(int sysfs_fd, struct cpu_births **ret_births);
struct cpu_births *cpu_births_free(struct cpu_births *births);
DEFINE_AUTO(cpu_births, struct cpu_births *, cpu_births_free)

bool cpu_births_equal(const struct cpu_births *a, const struct cpu_births *b);

/* The CPUs that were online all the time between both. 0 or -ENOMEM; the caller owns the list. */
int cpu_births_common(const struct cpu_births *a, const struct cpu_births *b,
                      struct cpu_list **ret_cpus);
