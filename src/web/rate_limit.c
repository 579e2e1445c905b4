/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens are not counted: each one that is taken puts off by one interval the time at which the
 * bucket will be full (the generic cell rate algorithm of ITU-T I.371).
 */
#include "web/rate_limit.h"

bool rate_limit_take(struct rate_limit *limit, uint64_t interval_ns, uint64_t burst,
                     uint64_t now_ns)
{
    const uint64_t from = limit->full_ns > now_ns ? limit->full_ns : now_ns;
    uint64_t most;

    if (__builtin_mul_overflow(interval_ns, burst, &most) ||
        __builtin_add_overflow(most, now_ns, &most))
        most = UINT64_MAX;
    if (from > most || interval_ns > most - from)
        return false;
    limit->full_ns = from + interval_ns;
    return true;
}
