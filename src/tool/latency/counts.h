/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Counts by key as a table: a line for each key, the most counted first, and a column for each
 * family that has the same label.
 */

#include "tool/latency/distribution.h"

/* Whether a table begins with this family, and something is in it. */
bool latency_counts_begin(const struct latency_family *family, const struct distributions *counted);

/* Appends that table: "exits by reason, in 10 s" and its lines. */
void latency_append_counts(struct text *text, const struct latency_family *family,
                           const struct distributions *counted, double seconds);
