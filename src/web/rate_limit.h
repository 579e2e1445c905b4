/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How often requests are answered: a bucket that gains one token in each interval. */

#include <stdbool.h>
#include <stdint.h>

struct rate_limit {
    uint64_t full_ns; /* at this time the bucket is full again; all zero: it is full */
};

/*
 * Takes a token, of which the bucket holds `burst` at most. Returns false if there is none. The
 * interval is not 0, and may be another one than in the last call.
 */
bool rate_limit_take(struct rate_limit *limit, uint64_t interval_ns, uint64_t burst,
                     uint64_t now_ns);
