/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Samples over time, finely: how many a target had in each part of each second. What comes and goes
 * within a second is seen there (Brendan Gregg: FlameScope, subsecond offset heat maps).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/store.h"

/*
 * Of 100 ms each: a usual rate, such as 49 or 99, is nearly a multiple of so many, so that what
 * runs all the time has as many samples in each part. In parts of 50 ms it would have 2 and 3 by
 * turns, a pattern that is not the program's.
 */
#define PROFILE_SECOND_PARTS 10
#define PROFILE_SECONDS_MOST 3600 /* the last ones of a longer range */

struct profile_seconds {
    uint64_t from_ns; /* a whole second, CLOCK_REALTIME */
    size_t n;         /* seconds; 0: no sample of the range is kept one by one */
    unsigned rate_hz; /* of the samples */
    uint32_t samples[][PROFILE_SECOND_PARTS];
};

/*
 * Counts the samples of a range that are kept one by one, widened to whole seconds, and cut to
 * those of which all samples are there. 0; -ENOENT: the target has no samples at all; -ENOMEM.
 */
int profile_store_seconds(const struct profile_store *store, const struct profile_range *range,
                          struct profile_seconds **ret_seconds);
struct profile_seconds *profile_seconds_free(struct profile_seconds *seconds);
DEFINE_AUTO(profile_seconds, struct profile_seconds *, profile_seconds_free)
