/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* The distributions of durations, and the counts beside them; see count/latency.h for both. */
enum switch_distribution {
    SWITCH_RUN_QUEUE,
    SWITCH_ON_CPU,
    SWITCH_OFF_CPU_INTERRUPTIBLE,
    SWITCH_OFF_CPU_UNINTERRUPTIBLE,
    SWITCH_DISTRIBUTIONS,
};

enum switch_tally {
    SWITCH_VOLUNTARY,
    SWITCH_INVOLUNTARY,
    SWITCH_MOVED_SMT,
    SWITCH_MOVED_CORE,
    SWITCH_MOVED_LLC,
    SWITCH_MOVED_NODE,
    SWITCH_TALLIES,
};

/*
 * Where the buckets of the distributions are that the program at each switch counts: the first
 * bucket, how many there are, and the power of two of a second up to which the first one counts.
 * Each of the others counts up to twice as long as the one before, and the last one all that is
 * longer. These are the ranges in which durations differ in meaning, so that what a target takes on
 * a CPU stays within 400 bytes.
 */
#define SWITCH_RANGE_RUN_QUEUE               0, 24, -20  /* 1 us to 4 s */
#define SWITCH_RANGE_ON_CPU                  24, 20, -18 /* 4 us to 1 s */
#define SWITCH_RANGE_OFF_CPU_INTERRUPTIBLE   44, 20, -16 /* 15 us to 4 s */
#define SWITCH_RANGE_OFF_CPU_UNINTERRUPTIBLE 64, 20, -16

/* The buckets of all distributions together. */
#define SWITCH_RANGE_BUCKETS 84
