/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a group counts. Plain data: the engine knows nothing of patterns, names or labels. */

#include "sys/cpu_list.h"

enum scope_kind {
    SCOPE_SYSTEM, /* everything that runs on the CPUs */
    SCOPE_CGROUP, /* what runs on the CPUs in one cgroup and below it */
    SCOPE_KIND_COUNT_,
};

struct scope {
    enum scope_kind kind;
    int cgroup_fd;               /* SCOPE_CGROUP: its directory, borrowed; else -1 */
    const struct cpu_list *cpus; /* borrowed; outlives what counts in the scope */
};

/* "system", "cgroup": as on /metrics. Static. */
const char *scope_kind_name(enum scope_kind kind);
