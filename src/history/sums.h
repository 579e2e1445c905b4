/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What was counted in each step of an answer: for each total of a layout how much it grew, and in
 * what time. Rates and ratios follow from these sums.
 */

#include "history/chunk.h"
#include "history/layout.h"

struct growth {
    uint64_t count;
    uint64_t time_us; /* 0: nothing is known */
};

struct sums {
    struct layout *layout; /* a reference */
    size_t n_points, capacity;
    uint64_t *times_ns;
    struct growth *growths; /* [point * layout->n_totals + total] */
};

/* The range of an answer. */
struct sums_range {
    uint64_t start_ns, end_ns, step_ns;
};

/* 0 or -ENOMEM. */
int sums_init(struct sums *sums, struct layout *layout);
void sums_done(struct sums *sums);

/* Adds the rows of a chunk. Each growth belongs to the step in which it ended. 0 or -ENOMEM. */
int sums_add(struct sums *sums, const struct chunk_rows *rows, const struct sums_range *range);

/* Sorts the points by time, and makes one of those that have the same. */
int sums_sort(struct sums *sums);

/* The value of a series at a point. NaN: not known. */
double sums_value(const struct sums *sums, const struct layout_series *series, size_t point);
