/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What our own process costs: the process_* metrics that every Prometheus client library has. */

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
 * Reads them below the root of procfs. 0, or -errno and nothing is written. Since Linux 6.2 it
 * costs little however many descriptors are open: the size of /proc/self/fd is their number.
 */
int self_stats_read(int procfs_fd, struct self_stats *ret_stats);
