/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `by: cpu` and `by: node` of rules come to. */

#include "check/output.h"
#include "resolve/mechanism_choice.h"
#include "resolve/resolution.h"

/* The domains of the machine that plans name; all NULL before. */
struct check_domains {
    struct cpu_domains *by[CONFIG_BYS_];
};

/*
 * Has the plans show the domains of the CPUs that are online, as the service's plans do. Before it
 * is decided what is counted, and the domains stay until then. 0 or -ENOMEM.
 */
int check_plan_by_domain(struct resolution *resolution, const struct mechanism *bpf,
                         const struct cpu_list *online, int sysfs_fd,
                         struct check_domains *domains);
void check_domains_done(struct check_domains *domains);

/*
 * Prints for each such rule how many series a target has more for it, and notes where
 * nothing is shown: the groups of the rule count neither a clock nor context-switches, or it is of
 * processes, which are counted in threads. What can be counted is decided by now.
 */
void check_print_by_domain(struct check_output *output, const struct resolution *resolution,
                           const struct mechanism_choice *choice, const struct cpu_list *online,
                           int sysfs_fd);
