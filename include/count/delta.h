/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The arithmetic of readings: what was counted between two of them. Pure, no
 * I/O, no memory (DESIGN: what must be true of the numbers, 1).
 *
 * The kernel tells of each group, beside the values, the time it was enabled and
 * the time it was running, both in nanoseconds; where they differ the group
 * shared the PMU with others and its counts are a sample (perf_event_open(2)).
 */

#include <stdint.h>

enum delta_state {
    DELTA_IDLE,    /* enabled stood still: the target did not run; the delta is 0 */
    DELTA_UNKNOWN, /* it ran, its group hardly had the PMU: keep the old reading as the base */
    DELTA_KNOWN,   /* the delta is count * enabled / running */
    DELTA_BROKEN,  /* a time went backwards: not of one life; take the new reading as the base */
};

/* Running below 1/100 of enabled tells too little to be scaled. */
#define DELTA_LEAST_COVERAGE 100

/* What the differences of a group's times say of the counts between them. */
static inline enum delta_state delta_judge(uint64_t enabled, uint64_t running)
{
    if ((int64_t)enabled < 0 || (int64_t)running < 0)
        return DELTA_BROKEN;
    if (enabled == 0)
        return DELTA_IDLE;
    if (running <= (enabled - 1) / DELTA_LEAST_COVERAGE) /* less than 1 in 100, without overflow */
        return DELTA_UNKNOWN;
    return DELTA_KNOWN;
}

/*
 * The difference of two values, right also where the counter passed 2^64 in
 * between. A difference of 2^63 or more is no progress but a value that went
 * backwards; delta_is_backwards() tells.
 */
static inline uint64_t delta_count(uint64_t base, uint64_t now)
{
    return now - base;
}

static inline int delta_is_backwards(uint64_t count)
{
    return (int64_t)count < 0;
}

/*
 * count * enabled / running as an integer. The fraction that the division leaves
 * is kept in *carry, in units of 2^-32, and added to the next delta, so that rare
 * events are not rounded away. Where the group ran all the time (running equal to
 * or, by the kernel's rounding, above enabled) the count stands as it is.
 */
static inline uint64_t delta_scale(uint64_t count, uint64_t enabled, uint64_t running,
                                   uint32_t *carry)
{
    unsigned __int128 product;
    uint64_t whole, rest, fraction;

    if (running >= enabled)
        return count;
    product = (unsigned __int128)count * enabled;
    whole = (uint64_t)(product / running);
    rest = (uint64_t)(product % running);
    fraction = (uint64_t)(((unsigned __int128)rest << 32) / running) + *carry;
    *carry = (uint32_t)fraction;
    return whole + (fraction >> 32);
}

/* The same without rounding, for rates and ratios. */
static inline double delta_exact(uint64_t count, uint64_t enabled, uint64_t running)
{
    if (running >= enabled)
        return (double)count;
    return (double)count * ((double)enabled / (double)running);
}
