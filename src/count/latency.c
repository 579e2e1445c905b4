/* SPDX-License-Identifier: Apache-2.0 */

#include "count/latency.h"

#include <assert.h>

#include "sys/bpf/block/counts.h"
#include "sys/bpf/keyed.h"
#include "sys/bpf/switch/ranges.h"

static_assert(LATENCY_BUCKETS == SWITCH_RANGE_BUCKETS, "the buckets are the program's");
static_assert((int)LATENCY_RUN_QUEUE == (int)SWITCH_RUN_QUEUE &&
                  (int)LATENCY_ON_CPU == (int)SWITCH_ON_CPU &&
                  (int)LATENCY_OFF_CPU_INTERRUPTIBLE == (int)SWITCH_OFF_CPU_INTERRUPTIBLE &&
                  (int)LATENCY_OFF_CPU_UNINTERRUPTIBLE == (int)SWITCH_OFF_CPU_UNINTERRUPTIBLE,
              "the order is the program's");
static_assert((int)LATENCY_SWITCHES_VOLUNTARY == (int)SWITCH_VOLUNTARY &&
                  (int)LATENCY_SWITCHES_INVOLUNTARY == (int)SWITCH_INVOLUNTARY &&
                  (int)LATENCY_MIGRATIONS_SMT == (int)SWITCH_MOVED_SMT &&
                  (int)LATENCY_MIGRATIONS_CORE == (int)SWITCH_MOVED_CORE &&
                  (int)LATENCY_MIGRATIONS_LLC == (int)SWITCH_MOVED_LLC &&
                  (int)LATENCY_MIGRATIONS_NODE == (int)SWITCH_MOVED_NODE,
              "the order is the program's");

const struct latency_part latency_parts[LATENCY_PARTS] = {
    {"scheduler", LATENCY_SCHEDULER},
    {"block_io", LATENCY_KIND_BLOCK_IO},
    {"interrupts", LATENCY_KIND_INTERRUPTS},
    {"kvm", LATENCY_KIND_KVM},
    {"tcp", LATENCY_KIND_TCP},
    {"spans", LATENCY_KIND_SPANS},
    {"system_calls", LATENCY_KIND_SYSTEM_CALLS},
};

/* As the program that counts requests has them. */
#define BLOCK_IO                                                                                   \
    {                                                                                              \
        0, KEYED_BUCKETS, BLOCK_FIRST_EXPONENT                                                     \
    }

const struct latency_layout latency_layouts[LATENCY_LAYOUT_COUNT_] = {
    [LATENCY_RUN_QUEUE] = {SWITCH_RANGE_RUN_QUEUE},
    [LATENCY_ON_CPU] = {SWITCH_RANGE_ON_CPU},
    [LATENCY_OFF_CPU_INTERRUPTIBLE] = {SWITCH_RANGE_OFF_CPU_INTERRUPTIBLE},
    [LATENCY_OFF_CPU_UNINTERRUPTIBLE] = {SWITCH_RANGE_OFF_CPU_UNINTERRUPTIBLE},
    [LATENCY_BLOCK_IO_READ] = BLOCK_IO,
    [LATENCY_BLOCK_IO_WRITE] = BLOCK_IO,
    [LATENCY_BLOCK_IO_OTHER] = BLOCK_IO,
    [LATENCY_BLOCK_IO_QUEUE] = BLOCK_IO,
};

void latencies_add(struct latencies *restrict sum, const struct latencies *restrict part)
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
