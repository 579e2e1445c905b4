/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a group counts. Plain data: the engine knows nothing of patterns, names or labels. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/cpu_list.h"

enum scope_kind {
    SCOPE_SYSTEM,  /* everything that runs on the CPUs */
    SCOPE_CGROUP,  /* what runs on the CPUs in one cgroup and below it */
    SCOPE_PROCESS, /* threads, and what they start; or whole processes, by where they run */
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
    const pid_t *tasks;          /* SCOPE_PROCESS: n_tasks threads, or, with cpus, processes … */
    size_t n_tasks;              /* … ascending, borrowed as long; else NULL */
    enum scope_inherit inherit;  /* SCOPE_PROCESS */
    uint64_t process;            /* SCOPE_PROCESS with cpus: scope_process_id() of the first */
};

/* Tells a process from all others, also from who had its number before. start_ticks: since boot. */
static inline uint64_t scope_process_id(pid_t pid, uint64_t start_ticks)
{
    return start_ticks << 22 | (uint64_t)pid; /* the kernel's PID_MAX_LIMIT is 2^22 */
}

/* Whether threads are counted, on whatever CPU they run: such counters are theirs. */
static inline bool scope_is_of_threads(const struct scope *scope)
{
    return scope->kind == SCOPE_PROCESS && !scope->cpus;
}

/* "system", "cgroup", "process": as on /metrics. Static. */
const char *scope_kind_name(enum scope_kind kind);

/*
 * A scope is counted in places, each with counters of its own: its CPUs, or, on
 * whatever CPU they run, its threads.
 */
static inline size_t scope_n_places(const struct scope *scope)
{
    return scope_is_of_threads(scope) ? scope->n_tasks : scope->cpus->n;
}
