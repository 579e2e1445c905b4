/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How much of /metrics an account takes, or all accounts together: that is limited. */

#include <stdbool.h>
#include <stddef.h>

#include "base/share.h"
#include "metric/plan.h"
#include "target/identity.h"

struct footprint {
    size_t series;
    size_t bytes; /* of the uncompressed text */
};

/* What an account with these labels takes; the bytes are rounded up. */
struct footprint footprint_of(const struct plan *plan, const struct identity *identity);

static inline struct footprint footprint_add(struct footprint a, struct footprint b)
{
    return (struct footprint){a.series + b.series, a.bytes + b.bytes};
}

static inline struct footprint footprint_subtract(struct footprint a, struct footprint b)
{
    return (struct footprint){a.series - b.series, a.bytes - b.bytes};
}

/* What one top-level cgroup may take of all, beside what others take. */
static inline struct footprint footprint_share(struct footprint limit, struct footprint of_others)
{
    return (struct footprint){share_left(limit.series, of_others.series),
                              share_left(limit.bytes, of_others.bytes)};
}

static inline bool footprint_is_within(struct footprint a, struct footprint limit)
{
    return a.series <= limit.series && a.bytes <= limit.bytes;
}
