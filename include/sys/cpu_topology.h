/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a CPU is in the machine, by sysfs. */

#include "sys/cpu_list.h"

/* A number is -1 where the kernel does not give it (an offline CPU, a virtual machine, no NUMA). */
struct cpu_topology {
    int core;   /* core_id: a number that is unique within the socket */
    int socket; /* physical_package_id */
    int node;   /* the NUMA node */
};

/* sysfs_fd: the root of sysfs. It cannot fail: what cannot be read is -1. */
struct cpu_topology cpu_topology_read(int sysfs_fd, struct cpu_number cpu);
