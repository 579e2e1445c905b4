/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What `pmutool latency` prints: a histogram in text for each distribution and a table of what is
 * only counted, or all as JSON.
 */

#include "tool/latency/distribution.h"

/* The percentiles that are shown. */
#define LATENCY_SHARES 3

struct latency_share {
    const char *name; /* "p50" */
    double share;
};

extern const struct latency_share latency_shares[LATENCY_SHARES];

/* Appends a duration with three digits and its unit: "34.1 us", "1.02 ms"; "-" if it is none. */
void latency_append_duration(struct text *text, double seconds);

/* Appends what was counted in so many seconds. */
void latency_append_text(struct text *text, const char *target, const struct distributions *counted,
                         double seconds);

/* Returns the same as a new value; NULL: no memory. */
json_t *latency_json(const char *target, const struct distributions *counted, double seconds);
