/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Durations by powers of two of a second. It is pure, so that a test can try it outside of the
 * kernel.
 */

#include <linux/types.h>

#define EXPONENT_NS_PER_SECOND 1000000000ull

/* The logarithm of what is longer is that of this: 8.6 s. */
#define EXPONENT_MOST_NS (1ull << 33)

/* The greatest n with 2^n <= value, which is less than 2^35; 0 for 0. */
static inline __attribute__((always_inline)) __u32 log2_of(__u64 value)
{
    __u32 n = 0;

    if (value >> 32) {
        value >>= 32;
        n = 32;
    }
    if (value >> 16) {
        value >>= 16;
        n += 16;
    }
    if (value >> 8) {
        value >>= 8;
        n += 8;
    }
    if (value >> 4) {
        value >>= 4;
        n += 4;
    }
    if (value >> 2) {
        value >>= 2;
        n += 2;
    }
    return n + (value >> 1 ? 1 : 0);
}

/*
 * The least n so that a duration is not longer than 2^n units of 2^-30 s. A unit is 0.93 ns, so n
 * is one or two more than the logarithm of the nanoseconds.
 */
static inline __attribute__((always_inline)) __u32 exponent_of(__u64 ns)
{
    const __u32 n = log2_of(ns < EXPONENT_MOST_NS ? ns : EXPONENT_MOST_NS) + 1;

    return n + (ns > EXPONENT_NS_PER_SECOND << n >> 30);
}
