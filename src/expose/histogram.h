/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How histograms of targets are written: https://prometheus.io/docs/concepts/metric_types/. */

#include "base/cleanup.h"
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

/* What the series of a histogram have in common. */
struct histogram_shape {
    const char *name; /* of the family */
    const struct latency_layout *layout;
    struct column_label label; /* a label behind those of the target; its name is NULL: none */
};

/* What the lines of a histogram have beside labels and numbers: made once for many targets. */
struct histogram_lines;

/* has_labels: there are labels in front of its own. The shape is borrowed. NULL: no memory. */
struct histogram_lines *histogram_lines_new(const struct histogram_shape *shape, bool has_labels);
struct histogram_lines *histogram_lines_free(struct histogram_lines *lines);
DEFINE_AUTO(histogram_lines, struct histogram_lines *, histogram_lines_free)

/* Appends one histogram: buckets, each with all below it, sum and count. The numbers are those of
 * all its buckets, each for itself, and the sum. The labels begin with a brace, and lack the other.
 */
void histogram_append_one(const struct histogram_lines *lines, const uint64_t *numbers,
                          const char *labels, size_t n_labels, struct text *text);

/*
 * Appends a histogram of each target: its buckets, each with all below it, its sum and its count.
 * What a target has is not divided, as OpenMetrics asks. One that has no observation is left out.
 */
void histogram_append(const struct plan_histogram *histogram,
                      const struct histogram_targets *targets, struct text *text);
