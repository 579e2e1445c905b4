/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What CPUs did between two readings of the kernel's accounting. Pure, no I/O (DESIGN: what must
 * be true of the numbers, 1).
 *
 * A reading that has fallen below the base, in any part, is not believed: the kernel's accounting
 * of CPUs that run without ticks may be seen to do so for a moment. The base waits, so that the
 * next difference covers both. A second one in a row is of another life, and the new base.
 */

#include <stdbool.h>

#include "sys/cpu_time.h"

/* Of all zeros at first: there is no reading yet. */
struct cpu_usage {
    struct cpu_time base;
    uint64_t base_ns; /* CLOCK_MONOTONIC */
    bool based;
    bool fell; /* the last reading had */
};

enum cpu_usage_state {
    CPU_USAGE_KNOWN,
    CPU_USAGE_UNKNOWN,  /* a first reading, or one that fell: nothing to add, and no rate */
    CPU_USAGE_TOO_SOON, /* ticks tell nothing of so short a time: what was known stands */
};

struct cpu_usage_delta {
    enum cpu_usage_state state;
    uint64_t user_ns, system_ns; /* these three are 0 where it is not known */
    double cpus;                 /* that were in use, in the mean */
};

/* Takes a reading of this time (CLOCK_MONOTONIC) in. */
struct cpu_usage_delta cpu_usage_advance(struct cpu_usage *usage, const struct cpu_time *reading,
                                         uint64_t now_ns);
