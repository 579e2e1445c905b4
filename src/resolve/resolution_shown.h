/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What targets show beside what they count, by what the machine has. It is asked before
 * resolution_decide(), which makes the plans.
 */

#include <stdbool.h>

#include "resolve/resolution.h"
#include "sys/cpu_domains.h"

/*
 * Has each class show the domains that its rule names (`by: cpu`, `by: node`), of these CPUs. Makes
 * those of domains[] that are NULL and that a class needs; they are the caller's, and outlive the
 * resolution. Counters of threads have no CPU: without counts_processes no class of processes shows
 * any, so that nothing that would never be there takes a part of the limit of series. sysfs_fd: the
 * root of sysfs. 0 or -ENOMEM.
 */
int resolution_show_domains(struct resolution *resolution, const struct cpu_list *cpus,
                            int sysfs_fd, bool counts_processes,
                            struct cpu_domains *domains[static CONFIG_BYS_]);

/* Has cgroups and processes show how often their stacks were sampled, or not. */
void resolution_show_profiles(struct resolution *resolution, bool are_sampled);
