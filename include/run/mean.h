/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Mean and error of what several runs gave. It is pure arithmetic, by Welford's method, which does
 * not lose the digits that a sum of squares loses.
 */

#include <stddef.h>

/* All zeros at first. */
struct mean {
    size_t n;
    double mean;
    double squares; /* the sum of the squared distances from the mean */
};

void mean_add(struct mean *mean, double value);

/*
 * The standard deviation of the mean: the root of the variance of the values divided by their
 * number. 0 for fewer than two values.
 */
double mean_deviation(const struct mean *mean);

/* The same in percent of the mean, as perf shows it behind "+-". 0 if the mean is 0. */
double mean_percent(const struct mean *mean);

/* The standard deviation of the values themselves. 0 for fewer than two values. */
double mean_spread(const struct mean *mean);
