/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a CPU stands in the machine, as sysfs tells it. */

#include "sys/cpu_list.h"

/* Each is -1 where the kernel does not tell it (an offline CPU, a virtual machine, no NUMA). */
struct cpu_topology {
    int core;   /* core_id: tells cores of one socket apart */
    int socket; /* physical_package_id */
    int node;   /* the NUMA node */
};

/* sysfs_fd: the root of sysfs. Cannot fail: what cannot be read is unknown. */
struct cpu_topology cpu_topology_read(int sysfs_fd, struct cpu_number cpu);
