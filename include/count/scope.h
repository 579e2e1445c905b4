/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where a group of events counts. It is plain data: the engine knows nothing of patterns, names or
 * labels of targets.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/cpu_list.h"
#include "sys/pmu.h"

enum scope_kind {
    SCOPE_SYSTEM,  /* everything that runs on the CPUs */
    SCOPE_CGROUP,  /* what runs on the CPUs in one cgroup and below it */
    SCOPE_PROCESS, /* threads wherever they run; or, with CPUs, whole processes on them */
    SCOPE_KIND_COUNT_,
};

/* Which tasks that a counted thread starts are counted with it. perf calls it inheritance. */
enum scope_inherit {
    INHERIT_NOTHING,
    INHERIT_THREADS,  /* since Linux 5.13, see event_can_inherit_threads() */
    INHERIT_CHILDREN, /* threads and processes, and what they start in turn */
};

struct scope {
    enum scope_kind kind;
    int cgroup_fd;               /* SCOPE_CGROUP: the cgroup's directory, borrowed; else -1 */
    const struct cpu_list *cpus; /* borrowed for as long as something counts; NULL: threads */
    const pid_t *tasks;          /* SCOPE_PROCESS: threads, or processes where there are cpus; in
                                    ascending order, borrowed like cpus. Else NULL */
    size_t n_tasks;
    enum scope_inherit inherit; /* SCOPE_PROCESS */
    /*
     * SCOPE_SYSTEM, of a PMU that has several instances: which of them is opened in each place.
     * `cpus` then has a CPU once for each instance that is opened on it, and each event is opened
     * with this type in the place of its own. NULL: events have their own types. Borrowed like
     * cpus.
     */
    const uint32_t *pmu_types;
    /*
     * The PMUs of a machine that has several kinds of cores. NULL: it has one. Borrowed like cpus.
     */
    const struct pmu_list *hybrid;
    uint64_t process; /* SCOPE_PROCESS with cpus: scope_process_id() of the first process */

    /*
     * For threads: counting begins when a thread executes another program (execve(2)), and no
     * sooner. So nothing of what prepares a command is counted with it.
     */
    bool starts_at_exec;
};

/*
 * A number that no other process has or had, although the kernel gives process numbers again.
 * start_ticks: when the process started, in clock ticks since boot (/proc/PID/stat, field 22).
 */
static inline uint64_t scope_process_id(pid_t pid, uint64_t start_ticks)
{
    return start_ticks << 22 | (uint64_t)pid; /* PID_MAX_LIMIT of the kernel is 2^22 */
}

/* Whether the counters are bound to threads, and follow them to whatever CPU they run on. */
static inline bool scope_is_of_threads(const struct scope *scope)
{
    return scope->kind == SCOPE_PROCESS && !scope->cpus;
}

/* The name on /metrics: "system", "cgroup", "process". Static. */
const char *scope_kind_name(enum scope_kind kind);

/*
 * A place is where one set of counters is opened: one of the scope's CPUs, or one of its threads.
 * Returns how many places the scope has.
 */
static inline size_t scope_n_places(const struct scope *scope)
{
    return scope_is_of_threads(scope) ? scope->n_tasks : scope->cpus->n;
}

/*
 * How often a group may be opened in a place of this scope: once, but for a thread once for each
 * kind of cores that the machine has.
 */
size_t scope_most_parts(const struct scope *scope);
