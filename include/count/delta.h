/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The arithmetic of readings: what was counted between two of them. It is pure, without I/O and
 * memory.
 *
 * With the values of a group the kernel gives the time for which the group was enabled and the time
 * for which it was running, both in nanoseconds. Where they differ, the group shared the PMU with
 * others, and its counts are a sample that has to be scaled (perf_event_open(2), time_enabled).
 */

#include <stdint.h>

enum delta_state {
    DELTA_IDLE,    /* the time enabled stood still: the target did not run, the delta is 0 */
    DELTA_UNKNOWN, /* the target ran, but the group hardly did: keep the old reading as the base */
    DELTA_KNOWN,   /* the delta is count * enabled / running */
    DELTA_BROKEN,  /* a time went backwards: these are two counters; the new reading is the base */
};

/*
 * Where a group was running for less than 1/100 of the time enabled, its counts are too small a
 * sample to be scaled.
 */
#define DELTA_LEAST_COVERAGE 100

/* Judges a delta by how much both times of the group advanced. */
static inline enum delta_state delta_judge(uint64_t enabled, uint64_t running)
{
    if ((int64_t)enabled < 0 || (int64_t)running < 0)
        return DELTA_BROKEN;
    if (enabled == 0)
        return DELTA_IDLE;
    if (running <=
        (enabled - 1) / DELTA_LEAST_COVERAGE) /* as 100 * running < enabled, without overflow */
        return DELTA_UNKNOWN;
    return DELTA_KNOWN;
}

/*
 * The difference of two values. It is right also where the counter passed 2^64 in between. A
 * difference of 2^63 or more means that the value went backwards (delta_is_backwards()).
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
 * count * enabled / running as an integer. The fraction that the division leaves is kept in *carry,
 * in units of 2^-32, and added to the next delta, so that rare events are not rounded away. Where
 * the group was running all the time the count is exact and stays as it is; by the kernel's
 * rounding running may then be greater than enabled.
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

/* The same before rounding, for rates and ratios. */
static inline double delta_exact(uint64_t count, uint64_t enabled, uint64_t running)
{
    if (running >= enabled)
        return (double)count;
    return (double)count * ((double)enabled / (double)running);
}
