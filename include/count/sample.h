/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one target counted in one interval, over all its CPUs. It is the engine's only result. */

#include <stdbool.h>
#include <stdint.h>

#include "count/breakdown.h"
#include "count/event_group.h"
#include "count/latency.h"
#include "count/sample_domains.h"

struct event_sample {
    uint64_t count;    /* the delta, an integer, to be added to the total */
    double exact;      /* the delta before rounding, for ratios */
    double per_second; /* the delta divided by the time in which it was counted */
};

struct group_sample {
    bool counted; /* the group is open and has had the PMU, so that a delta of 0 means 0 */
    bool ran;     /* the target ran: the time enabled advanced in some place */
    bool starved; /* the group waits for the PMU in vain: a total of 0 is not known to be 0 */
    bool unknown; /* in some place the delta is unknown: there are no rates and no ratios */
    /* Times since the last reading, ns. They are there also where the counts are unknown, so that
     * the coverage can be told down to 0. */
    uint64_t enabled, running;
};

/*
 * Time in which it is in doubt whether the target ran or another one, since the kernel did not show
 * a switch between them. Both times are sums since the target was first counted by its mechanism.
 * Both are 0 where there is no doubt.
 */
struct sample_doubt {
    uint64_t doubtful_ns;
    uint64_t ran_ns; /* all time in which the target ran, as far as is known */
};

/* It has one entry for each group and each event of a struct event_groups, in their order. */
struct sample {
    size_t n_events, n_groups;
    struct sample_doubt doubt;
    bool has_latencies; /* the target's latencies were read; else they are all 0 */
    struct latencies latencies;
    struct sample_domains *domains; /* what each CPU or node had; NULL: nobody wants to know */
    struct breakdowns breakdowns;   /* what was counted by key */
    struct group_sample *groups;
    struct event_sample *events;
};

/* Makes a sample for these groups. NULL: no memory. */
struct sample *sample_new(const struct event_groups *groups);
struct sample *sample_free(struct sample *sample);
DEFINE_AUTO(sample, struct sample *, sample_free)

void sample_clear(struct sample *sample);

/* Whether some group has counted. */
bool sample_has_counted(const struct sample *sample);

/* Whether the target ran in the interval, as far as some open group of it can tell. */
bool sample_has_run(const struct sample *sample);

/*
 * Adds what another target of the same groups counted: the machine is the sum of its CPUs, a group
 * of processes that of its members. begins: it is the first sample of this part, whose deltas are
 * always unknown. It has counted nothing before, and so the sum is known all the same.
 */
void sample_add(struct sample *sum, const struct sample *part, bool begins);
