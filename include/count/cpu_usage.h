/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How busy CPUs were between two readings of the kernel's accounting. It is pure, without I/O
 *.
 *
 * A reading that is below the base in any part is not believed: the accounting of CPUs that run
 * without ticks (nohz_full) may go backwards for a moment. The base is kept, so that the next delta
 * covers both intervals. A second such reading in a row means that the accounting began anew; it
 * becomes the base.
 */

#include <stdbool.h>

#include "sys/cpu_time.h"

/* All zeros at first, which means that there is no reading yet. */
struct cpu_usage {
    struct cpu_time base;
    uint64_t base_ns; /* CLOCK_MONOTONIC */
    bool based;
    bool fell; /* the last reading was below the base */
};

enum cpu_usage_state {
    CPU_USAGE_KNOWN,
    CPU_USAGE_UNKNOWN,  /* the first reading, or one below the base: nothing to add, no rate */
    CPU_USAGE_TOO_SOON, /* too short a time to be measured in ticks: totals and rates stay */
};

struct cpu_usage_delta {
    enum cpu_usage_state state;
    /* All of these are 0 unless the state is CPU_USAGE_KNOWN. */
    uint64_t user_ns, system_ns;
    double cpus; /* how many CPUs were in use on average */
};

/* What happened since the last reading. now_ns: CLOCK_MONOTONIC, when this one was taken. */
struct cpu_usage_delta cpu_usage_advance(struct cpu_usage *usage, const struct cpu_time *reading,
                                         uint64_t now_ns);
