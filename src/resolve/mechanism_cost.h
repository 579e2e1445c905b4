/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What counting adds to a switch between two tasks of counted targets. Both are estimates, made
 * from measurements with Linux 6.18 in a virtual machine.
 */

#include "resolve/resolution_budget.h"

struct switch_cost {
    unsigned ns;          /* added to each switch; 0: nothing worth a word */
    size_t of_a_cgroup;   /* the most events that a cgroup has open */
    size_t of_the_system; /* events that the system scope has open beside them */
};

/*
 * The kernel takes the events of one cgroup off the PMU and puts those of the other on it: 0.3 us,
 * and 0.075 us for each event of either cgroup and of the system scope. 0 where cgroups and system
 * are not counted together.
 */
struct switch_cost direct_switch_cost(const struct resolution *resolution);

/* How that is said: a format that takes the cost in microseconds, as a double. */
#define DIRECT_SWITCH_COST                                                                         \
    "system and cgroups are counted together: that adds at most about %.1f us to each switch "     \
    "between two counted cgroups"

/*
 * The program reads the events that are charged to cgroups and processes: 0.2 us, and 0.1 us for
 * each of them, whatever the system scope counts beside. In nanoseconds; 0: nothing is charged.
 */
unsigned bpf_switch_cost_ns(size_t n_charged);
