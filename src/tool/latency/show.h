/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool latency` prints: a histogram in text for each distribution, or all as JSON. */

#include "tool/latency/distribution.h"

/* Which distributions are shown: those of this kind; NULL: all. */
bool latency_shows(const struct distributions *counted, size_t index, const char *kind);

/* Appends a duration with three digits and its unit: "34.1 us", "1.02 ms"; "-" if it is none. */
void latency_append_duration(struct text *text, double seconds);

/* Appends the histograms of what was counted in so many seconds. */
void latency_append_text(struct text *text, const char *target, const struct distributions *counted,
                         const char *kind, double seconds);

/* Returns the same as a new value; NULL: no memory. */
json_t *latency_json(const char *target, const struct distributions *counted, const char *kind,
                     double seconds);
