/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A collector's whole cycle beside the reads that it cannot do without: a bare loop of
 * read(2) over as many groups of the same 4 software events.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "count/scope.h"
#include "cycle/collector.h"

/* The group that both sides count, as a piece of a configuration. */
#define BARE_GROUP                                                                                 \
    "groups:\n- name: software\n"                                                                  \
    "  events: [task-clock, context-switches, cpu-migrations, page-faults]\n"
#define BARE_EVENTS 4

/* Embedded; starts as {0}. */
struct bare_reads {
    int *leaders;     /* of each group */
    int *descriptors; /* of each event of each group */
    size_t n;
};

/*
 * Opens a group as the collector does: arguments of perf_event_open(2), and whether the threads
 * that are started later are to be counted with it.
 */
void bare_reads_open(struct bare_reads *reads, pid_t pid, int cpu, unsigned long flags,
                     bool inherit_threads);

/*
 * Measures a collector with that configuration, over the kernel, and the bare loop: in turns,
 * 20 ms apart. CPU time of the thread, medians. Dies where the two do not count the same: so many
 * targets of that kind, all of whose counters are in the loop.
 */
void bare_reads_measure(const struct bare_reads *reads, const char *yaml, int cgroup_root_fd,
                        enum scope_kind kind, size_t n_targets, double *ret_cycle_us,
                        double *ret_bare_us);

/* Closes what was opened. */
void bare_reads_done(struct bare_reads *reads);
