/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/line.h"

#include <math.h>
#include <string.h>

static int compare_names(const struct top_line *a, const struct top_line *b)
{
    return strcmp(a->name, b->name);
}

int top_line_compare(const struct top_settings *settings, const struct top_line *a,
                     const struct top_line *b)
{
    const int sign = settings->reverse ? -1 : 1;
    double x, y;

    if (settings->order >= N_TOP_COLUMNS)
        return sign * compare_names(a, b);
    x = a->values[settings->order];
    y = b->values[settings->order];
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? compare_names(a, b) : (isnan(x) ? 1 : -1);
    if (x < y || x > y)
        return x < y ? sign : -sign;
    return compare_names(a, b);
}
