/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The ranges are those in which durations differ in meaning, so that what a target takes on a CPU
 * stays below 400 bytes: a wait from 1 us to 4 s, a slice from 4 us to 1 s, a block from 15 us to
 * 4 s. What is longer is in the last bucket, and its length in the sum.
 */
#include "count/latency.h"

const struct latency_layout latency_layouts[LATENCY_DISTRIBUTION_COUNT_] = {
    [LATENCY_RUN_QUEUE] = {0, 24, -20},
    [LATENCY_ON_CPU] = {24, 20, -18},
    [LATENCY_OFF_CPU_INTERRUPTIBLE] = {44, 20, -16},
    [LATENCY_OFF_CPU_UNINTERRUPTIBLE] = {64, 20, -16},
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
