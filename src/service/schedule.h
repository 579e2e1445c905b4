/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* When cycles are due: at fixed points from the start, whatever each of them takes. */

#include <stdint.h>

struct schedule {
    uint64_t due_ns;      /* CLOCK_MONOTONIC of the next cycle */
    uint64_t interval_ns; /* > 0 */
};

/*
 * Moves on to the first point after now. Returns how many points were missed: one
 * that passed without a cycle of its own is left out, not made up for.
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
