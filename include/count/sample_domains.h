/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What of a sample each CPU or NUMA node had: two counts, for who wants to see where a target ran.
 * They are the same deltas that the sample has as sums, so that over all domains they come to them
 * exactly.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/event_group.h"
#include "sys/cpu_domains.h"

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

/* One domain. */
struct domain_sample {
    bool counted[CPU_COUNTS_]; /* the event counts there, so that 0 means 0 */
    uint64_t counts[CPU_COUNTS_];
};

struct sample_domains {
    struct cpu_count_source sources[CPU_COUNTS_];
    const struct cpu_domains *domains; /* borrowed */
    size_t n;                          /* the numbers of all domains are below it */
    struct domain_sample *of;          /* [number] */
};

/*
 * Has a sample of these groups tell what each domain had; the domains outlive the sample. What can
 * be counted is decided by now. 0 or -ENOMEM. sample_free() ends it.
 */
int sample_tell_domains(struct sample *sample, const struct event_groups *groups,
                        const struct cpu_domains *domains);
struct sample_domains *sample_domains_free(struct sample_domains *of_sample);

/* The domain of a CPU. NULL: it has none that is told. */
struct domain_sample *sample_domain_of_cpu(struct sample_domains *of_sample, struct cpu_number cpu);

void sample_domains_clear(struct sample_domains *of_sample);
void sample_domains_add(struct sample_domains *sum, const struct sample_domains *part);
