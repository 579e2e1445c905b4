/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What this process costs: the process_* metrics that every Prometheus client has. */

#include <stdint.h>

struct self_stats {
    uint64_t cpu_ns; /* user and system time */
    uint64_t resident_bytes;
    uint64_t virtual_bytes;
    uint64_t open_fds;
    uint64_t max_fds;                /* the soft limit */
    uint64_t start_time_realtime_ns; /* when the process began */
    uint64_t threads;
};

/*
 * Reads them below the root of procfs. 0 or -errno; on failure nothing is known.
 * Cheap however many descriptors are open (since Linux 6.2 /proc/self/fd tells its size).
 */
int self_stats_read(int procfs_fd, struct self_stats *ret_stats);
