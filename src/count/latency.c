/* SPDX-License-Identifier: Apache-2.0 */

#include "count/latency.h"

#include <assert.h>

#include "sys/bpf/switch/ranges.h"

static_assert(LATENCY_BUCKETS == SWITCH_RANGE_BUCKETS, "the buckets are the program's");

const struct latency_layout latency_layouts[LATENCY_DISTRIBUTION_COUNT_] = {
    [LATENCY_RUN_QUEUE] = {SWITCH_RANGE_RUN_QUEUE},
    [LATENCY_ON_CPU] = {SWITCH_RANGE_ON_CPU},
    [LATENCY_OFF_CPU_INTERRUPTIBLE] = {SWITCH_RANGE_OFF_CPU_INTERRUPTIBLE},
    [LATENCY_OFF_CPU_UNINTERRUPTIBLE] = {SWITCH_RANGE_OFF_CPU_UNINTERRUPTIBLE},
};

void latencies_add(struct latencies *sum, const struct latencies *part)
{
    for (size_t i = 0; i < LATENCY_DISTRIBUTION_COUNT_; i++)
        sum->sums_ns[i] += part->sums_ns[i];
    for (size_t i = 0; i < LATENCY_BUCKETS; i++)
        sum->buckets[i] += part->buckets[i];
    for (size_t i = 0; i < LATENCY_TALLY_COUNT_; i++)
        sum->tallies[i] += part->tallies[i];
}

struct latencies latencies_between(const struct latencies *earlier, const struct latencies *later)
{
    struct latencies between;

    for (size_t i = 0; i < LATENCY_DISTRIBUTION_COUNT_; i++)
        between.sums_ns[i] = later->sums_ns[i] - earlier->sums_ns[i];
    for (size_t i = 0; i < LATENCY_BUCKETS; i++)
        between.buckets[i] = later->buckets[i] - earlier->buckets[i];
    for (size_t i = 0; i < LATENCY_TALLY_COUNT_; i++)
        between.tallies[i] = later->tallies[i] - earlier->tallies[i];
    return between;
}
