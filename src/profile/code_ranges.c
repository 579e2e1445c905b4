/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/code_ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

void code_ranges_done(struct code_ranges *ranges)
{
    free(ranges->items);
    *ranges = (struct code_ranges){0};
}

int code_ranges_add(struct code_ranges *ranges, const struct code_range *range)
{
    struct code_range *items =
        array_reserve(ranges->items, sizeof(*items), &ranges->capacity, ranges->n + 1);

    if (!items)
        return -ENOMEM;
    ranges->items = items;
    ranges->items[ranges->n++] = *range;
    return 0;
}

/* Of those that begin together, one of a signal comes first, and then the longest. */
static int compare(const void *left, const void *right)
{
    const struct code_range *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->is_signal != b->is_signal)
        return a->is_signal ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end);
}

void code_ranges_settle(struct code_ranges *ranges)
{
    uint32_t end = 0;
    size_t n = 0;

    if (ranges->n > 0)
        qsort(ranges->items, ranges->n, sizeof(*ranges->items), compare);
    for (size_t i = 0; i < ranges->n; i++) {
        struct code_range range = ranges->items[i];

        if (range.end <= end)
            continue;
        if (range.start < end)
            range.start = end;
        end = range.end;
        ranges->items[n++] = range;
    }
    ranges->n = n;
}
