/* SPDX-License-Identifier: Apache-2.0 */
#include "run/mean.h"

#include <math.h>

void mean_add(struct mean *mean, double value)
{
    const double before = value - mean->mean;

    mean->n++;
    mean->mean += before / (double)mean->n;
    mean->squares += before * (value - mean->mean);
}

double mean_deviation(const struct mean *mean)
{
    const double n = (double)mean->n;

    return mean->n < 2 ? 0 : sqrt(mean->squares / (n - 1) / n);
}

double mean_percent(const struct mean *mean)
{
    return mean->mean == 0 ? 0 : 100 * mean_deviation(mean) / mean->mean;
}

double mean_spread(const struct mean *mean)
{
    return mean->n < 2 ? 0 : sqrt(mean->squares / (double)(mean->n - 1));
}
