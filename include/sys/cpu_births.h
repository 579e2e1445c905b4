/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which CPUs are online, and since which birth. A CPU that goes offline freezes the
 * perf events that are open on it, without an error, and they stay so when it is back:
 * who counts must know that it was away, however short.
 */

#include <stdint.h>

#include "sys/cpu_list.h"

struct cpu_births {
    struct cpu_list *online;
    uint64_t *births; /* of each; another number after each time that it was away */
};

/*
 * sysfs_fd: the root of sysfs. The number is that of the CPU's topology directory, which
 * the kernel removes with the CPU (drivers/base/topology.c); 0 where there is none. 0 or
 * -errno. The caller owns it.
 */
int cpu_births_read(int sysfs_fd, struct cpu_births **ret_births);
struct cpu_births *cpu_births_free(struct cpu_births *births);
DEFINE_AUTO(cpu_births, struct cpu_births *, cpu_births_free)

bool cpu_births_equal(const struct cpu_births *a, const struct cpu_births *b);

/* The CPUs that both have in the same birth. 0 or -ENOMEM; the caller owns the list. */
int cpu_births_common(const struct cpu_births *a, const struct cpu_births *b,
                      struct cpu_list **ret_cpus);
