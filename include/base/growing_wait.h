/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What may be wrong for ever is told or tried again after a minute, and then each time later, up
 * to an hour; after an hour in which nothing was wrong it begins with a minute again. Times are
 * CLOCK_MONOTONIC in nanoseconds.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define GROWING_WAIT_FIRST_NS (60 * NS_PER_SECOND)
#define GROWING_WAIT_LAST_NS  (3600 * NS_PER_SECOND)

/* All zero is a good start. */
struct growing_wait {
    uint64_t end_ns;
    uint64_t length_ns; /* of the last one; 0: there was none */
};

static inline bool growing_wait_is_over(const struct growing_wait *wait, uint64_t now_ns)
{
    return now_ns >= wait->end_ns;
}

/* One begins now: it has been told or tried. */
static inline void growing_wait_begin(struct growing_wait *wait, uint64_t now_ns)
{
    const bool was_quiet = now_ns >= wait->end_ns + GROWING_WAIT_LAST_NS;

    if (wait->length_ns == 0 || was_quiet)
        wait->length_ns = GROWING_WAIT_FIRST_NS;
    else if (wait->length_ns < GROWING_WAIT_LAST_NS / 2)
        wait->length_ns *= 2;
    else
        wait->length_ns = GROWING_WAIT_LAST_NS;
    wait->end_ns = now_ns + wait->length_ns;
}
