/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What of a sample each CPU had: two counts, for who wants to see where a target ran. They are the
 * same deltas that the sample has as sums, so that over all CPUs they come to them exactly.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/event_group.h"

struct sample;

enum cpu_count {
    CPU_COUNT_TIME,     /* the first clock, task-clock or cpu-clock, in ns */
    CPU_COUNT_SWITCHES, /* context-switches */
    CPU_COUNTS_,
};

/* Which event of the groups is such a count. */
struct cpu_count_source {
    const struct event *event; /* NULL: no group counts one */
    size_t group, index;       /* the group, and the event among those of a sample */
};

/*
 * The event is the one that has the total on /metrics: that of the first group in which it can be
 * counted. It has no modifier that leaves something out.
 */
struct cpu_count_source cpu_count_find(const struct event_groups *groups, enum cpu_count count);

/* One CPU. */
struct cpu_sample {
    bool counted[CPU_COUNTS_]; /* the event counts there, so that 0 means 0 */
    uint64_t counts[CPU_COUNTS_];
};

struct sample_cpus {
    struct cpu_count_source sources[CPU_COUNTS_];
    size_t n;              /* the numbers of all CPUs are below it */
    struct cpu_sample *of; /* [number] */
};

/*
 * Has a sample of these groups tell what each CPU had, of those whose numbers are below n. What can
 * be counted is decided by now. 0 or -ENOMEM. sample_free() ends it.
 */
int sample_tell_cpus(struct sample *sample, const struct event_groups *groups, size_t n);
struct sample_cpus *sample_cpus_free(struct sample_cpus *cpus);

void sample_cpus_clear(struct sample_cpus *cpus);
void sample_cpus_add(struct sample_cpus *sum, const struct sample_cpus *part);
