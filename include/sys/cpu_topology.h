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

/*
 * With whom a CPU shares what: numbers that are the same for all CPUs that share it, and of no
 * others. What the kernel does not tell is taken to be shared with nobody, but a node with all, and
 * a cache with those of the socket.
 */
struct cpu_sharing {
    int core;
    int cache; /* the last-level cache */
    int node;  /* the NUMA node */
};

struct cpu_sharing cpu_sharing_read(int sysfs_fd, struct cpu_number cpu);

/* sysfs_fd: the root of sysfs. It cannot fail: what cannot be read is -1. */
struct cpu_topology cpu_topology_read(int sysfs_fd, struct cpu_number cpu);
