/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* When cycles are due: at fixed times from the start, however long each of them takes. */

#include <stdint.h>

struct schedule {
    uint64_t due_ns;      /* The next cycle is due at this time of CLOCK_MONOTONIC. */
    uint64_t interval_ns; /* It is never 0. */
};

/*
 * Moves on to the first due time after now. Returns how many due times have passed without a cycle:
 * these cycles are left out, and not run later.
 */
static inline uint64_t schedule_advance(struct schedule *schedule, uint64_t now_ns)
{
    uint64_t missed = 0;

    schedule->due_ns += schedule->interval_ns;
    if (schedule->due_ns <= now_ns) {
        missed = (now_ns - schedule->due_ns) / schedule->interval_ns + 1;
        schedule->due_ns += missed * schedule->interval_ns;
    }
    return missed;
}
