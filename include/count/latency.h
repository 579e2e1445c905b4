/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How long the threads of a target waited for a CPU, ran and were blocked: distributions, counted
 * in the kernel at each switch, and counts beside them. A distribution is a histogram: each bucket
 * counts durations up to a power of two of a second, and longer than those of the bucket below.
 * These are the boundaries of native histograms of Prometheus with schema 0.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a configuration may ask for, as bits of a set. */
enum latency_kind {
    LATENCY_KIND_RUN_QUEUE = 1 << 0,
    LATENCY_KIND_ON_CPU = 1 << 1,
    LATENCY_KIND_OFF_CPU = 1 << 2,
    LATENCY_KIND_SWITCHES = 1 << 3,
    LATENCY_KIND_MIGRATIONS = 1 << 4,
    LATENCY_KIND_BLOCK_IO = 1 << 5,
    LATENCY_KIND_INTERRUPTS = 1 << 6,
    LATENCY_KIND_KVM = 1 << 7,
    LATENCY_KIND_TCP = 1 << 8,
    LATENCY_KIND_SYSTEM_CALLS = 1 << 9,
    LATENCY_KIND_SPANS = 1 << 10,
};

#define LATENCY_SCHEDULER                                                                          \
    (LATENCY_KIND_RUN_QUEUE | LATENCY_KIND_ON_CPU | LATENCY_KIND_OFF_CPU | LATENCY_KIND_SWITCHES | \
     LATENCY_KIND_MIGRATIONS)

/* The parts that are there or not, each for itself, and the words that ask for them. */
struct latency_part {
    const char *word; /* of the configuration */
    unsigned kinds;
};

#define LATENCY_PARTS 7

extern const struct latency_part latency_parts[LATENCY_PARTS];

enum latency_distribution {
    LATENCY_RUN_QUEUE, /* from when a thread may run (woken or preempted) until it does */
    LATENCY_ON_CPU,    /* from when a thread gets a CPU until it leaves it */
    /* From when a thread leaves its CPU of its own accord until it may run again. */
    LATENCY_OFF_CPU_INTERRUPTIBLE,
    LATENCY_OFF_CPU_UNINTERRUPTIBLE,
    LATENCY_DISTRIBUTION_COUNT_, /* those above are of the scheduler, and in struct latencies */
    /* From when a request is given to a device until it is done, by what it does. */
    LATENCY_BLOCK_IO_READ = LATENCY_DISTRIBUTION_COUNT_,
    LATENCY_BLOCK_IO_WRITE,
    LATENCY_BLOCK_IO_OTHER,
    LATENCY_BLOCK_IO_QUEUE, /* from when a request is made until it is given to a device */
    LATENCY_LAYOUT_COUNT_,
};

enum latency_tally {
    LATENCY_SWITCHES_VOLUNTARY,   /* threads that left a CPU to wait for something, or ended */
    LATENCY_SWITCHES_INVOLUNTARY, /* threads that were preempted */
    LATENCY_MIGRATIONS_SMT,       /* to another thread of the same core */
    LATENCY_MIGRATIONS_CORE,      /* to another core with the same last-level cache */
    LATENCY_MIGRATIONS_LLC,       /* to another last-level cache of the same NUMA node */
    LATENCY_MIGRATIONS_NODE,      /* to another NUMA node */
    LATENCY_TALLY_COUNT_,
};

/* The buckets of all distributions together. */
#define LATENCY_BUCKETS 84

/* Where the buckets of a distribution are, and what they count. */
struct latency_layout {
    size_t first, n; /* its buckets; of the scheduler's: in struct latencies */
    int exponent;    /* the first bucket counts up to 2^exponent s, the next 2^(exponent + 1) s; the
                        last one counts what is longer than what the one before it counts */
};

extern const struct latency_layout latency_layouts[LATENCY_LAYOUT_COUNT_];

/* What was counted of a target: in an interval, or since some beginning. */
struct latencies {
    uint64_t sums_ns[LATENCY_DISTRIBUTION_COUNT_];
    uint64_t buckets[LATENCY_BUCKETS]; /* each counts for itself: they are not cumulative */
    uint64_t tallies[LATENCY_TALLY_COUNT_];
};

/* The two are not the same. */
void latencies_add(struct latencies *restrict sum, const struct latencies *restrict part);

/* What has been counted between two times. */
struct latencies latencies_between(const struct latencies *earlier, const struct latencies *later);
