/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How histograms of targets are written: https://prometheus.io/docs/concepts/metric_types/. */

#include "base/text.h"
#include "metric/plan.h"

struct label_block {
    size_t begin, end; /* offsets in the bytes of all labels */
};

/* The targets of a plan: their rows one behind the other, and their labels. */
struct histogram_targets {
    const struct plan *plan;
    const union number *numbers;
    size_t n;
    const char *labels; /* {cgroup="…" of each, without the closing brace */
    const struct label_block *blocks;
};

/*
 * Appends a histogram of each target: its buckets, each with all below it, its sum and its count.
 * What a target has is not divided, as OpenMetrics asks. One that has no observation is left out.
 */
void histogram_append(const struct plan_histogram *histogram,
                      const struct histogram_targets *targets, struct text *text);
