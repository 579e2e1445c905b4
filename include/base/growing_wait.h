/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A wait that grows, for something that may be wrong for ever: it is logged or tried again after a
 * minute, then after two, and so on up to an hour. After an hour in which nothing was wrong the
 * wait is a minute again. Times are CLOCK_MONOTONIC in nanoseconds.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define GROWING_WAIT_FIRST_NS (60 * NS_PER_SECOND)
#define GROWING_WAIT_LAST_NS  (3600 * NS_PER_SECOND)

/* A struct of zeros is a wait that is over. */
struct growing_wait {
    uint64_t end_ns;
    uint64_t length_ns; /* how long the last wait was; 0 before the first */
};

static inline bool growing_wait_is_over(const struct growing_wait *wait, uint64_t now_ns)
{
    return now_ns >= wait->end_ns;
}

/* Begins the next wait, after a line was logged or something was tried. */
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
