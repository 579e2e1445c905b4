/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a group counts. Plain data: the engine knows nothing of patterns, names or labels. */

#include <sys/types.h>

#include "sys/cpu_list.h"

enum scope_kind {
    SCOPE_SYSTEM,  /* everything that runs on the CPUs */
    SCOPE_CGROUP,  /* what runs on the CPUs in one cgroup and below it */
    SCOPE_PROCESS, /* threads, and what they start */
    SCOPE_KIND_COUNT_,
};

/* What a thread starts, and whether it is counted with it: what perf calls inheritance. */
enum scope_inherit {
    INHERIT_NOTHING,
    INHERIT_THREADS,  /* since Linux 5.13, see event_can_inherit_threads() */
    INHERIT_CHILDREN, /* threads and processes, and what they start in turn */
};

struct scope {
    enum scope_kind kind;
    int cgroup_fd;               /* SCOPE_CGROUP: its directory, borrowed; else -1 */
    const struct cpu_list *cpus; /* borrowed; outlives what counts in the scope. NULL for threads */
    const pid_t *threads;        /* SCOPE_PROCESS: n_threads of them, borrowed as long; else NULL */
    size_t n_threads;
    enum scope_inherit inherit; /* SCOPE_PROCESS */
};

/* "system", "cgroup", "process": as on /metrics. Static. */
const char *scope_kind_name(enum scope_kind kind);

/*
 * A scope is counted in places, each with counters of its own: its CPUs, or, on
 * whatever CPU they run, its threads.
 */
static inline size_t scope_n_places(const struct scope *scope)
{
    return scope->kind == SCOPE_PROCESS ? scope->n_threads : scope->cpus->n;
}
