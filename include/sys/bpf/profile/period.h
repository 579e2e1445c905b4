/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

#include "base/clock.h"

/*
 * How often a CPU is sampled, for a rate as it is configured. It is a little more often: with a
 * whole number of samples a second, what is done at the same time of each second would always be
 * met, or never. From second to second samples move on by 0.382 of the time between two of them, by
 * which few seconds cover all of it evenly: multiples of the golden ratio (0.382 is 1 less its
 * inverse), taken without their whole part, leave no large gap anywhere.
 */
static inline uint64_t profile_rate_millihertz(unsigned rate_hz)
{
    return UINT64_C(1000) * rate_hz + 382;
}

/* The time between two of them, in ns. */
static inline uint64_t profile_period_ns(unsigned rate_hz)
{
    return NS_PER_SECOND * 1000 / profile_rate_millihertz(rate_hz);
}
