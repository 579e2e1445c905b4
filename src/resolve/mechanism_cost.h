/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What each way of counting adds to a switch between two tasks. */

#include <stddef.h>

/*
 * About how many nanoseconds direct counting adds to a switch between tasks of
 * two counted cgroups (an estimate, from Linux 6.18 in a VM): 0.3 us, and 0.075 us for each event
 * of either cgroup and each of the whole machine. 0 where no cgroup is counted. How it is
 * told: a format that takes it in microseconds.
 */
#define DIRECT_SWITCH_COST                                                                         \
    "system and cgroups are counted together: that adds at most about %.1f us to each switch "     \
    "between two counted cgroups"
unsigned direct_switch_cost_ns(size_t events_of_a_cgroup, size_t events_of_the_system);

/* The same by bpf, whatever the machine counts beside: 0.2 us, and 0.1 us for each event. */
unsigned bpf_switch_cost_ns(size_t events_of_all);
