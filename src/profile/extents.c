/* SPDX-License-Identifier: Apache-2.0 */

/* The first run that is long enough is taken: runs live long, and there are few of them. */
#include "profile/extents.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int extents_init(struct extents *extents, uint32_t n)
{
    *extents = (struct extents){0};
    extents->free = array_reserve(NULL, sizeof(*extents->free), &extents->capacity, 1);
    if (!extents->free)
        return -ENOMEM;
    extents->free[0] = (struct extent){.first = 0, .n = n};
    extents->n_free = n > 0;
    return 0;
}

void extents_done(struct extents *extents)
{
    free(extents->free);
    *extents = (struct extents){0};
}

/* Makes room for one more run at a place of the list. */
static int open_gap(struct extents *extents, size_t at)
{
    struct extent *list = array_reserve(extents->free, sizeof(*extents->free), &extents->capacity,
                                        extents->n_free + 1);

    if (!list)
        return -ENOMEM;
    extents->free = list;
    memmove(list + at + 1, list + at, (extents->n_free - at) * sizeof(*list));
    extents->n_free++;
    return 0;
}

static void close_gap(struct extents *extents, size_t at)
{
    extents->n_free--;
    memmove(extents->free + at, extents->free + at + 1,
            (extents->n_free - at) * sizeof(*extents->free));
}

/* Runs begin at even places, and are of even length, but for the last of all. */
static uint32_t make_even(uint32_t n)
{
    return n + (n & 1);
}

int extents_take(struct extents *extents, uint32_t n, struct extent *ret_extent)
{
    const uint32_t wanted = make_even(n);

    for (size_t i = 0; i < extents->n_free; i++) {
        struct extent *run = &extents->free[i];

        if (run->n < wanted)
            continue;
        *ret_extent = (struct extent){.first = run->first, .n = n};
        run->first += wanted;
        run->n -= wanted;
        if (run->n == 0)
            close_gap(extents, i);
        extents->n_taken += wanted;
        return 0;
    }
    return -ENOSPC;
}

/* The run in the list behind which the place is. */
static size_t find_place(const struct extents *extents, uint32_t first)
{
    size_t low = 0, high = extents->n_free;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (extents->free[middle].first < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int extents_give_back(struct extents *extents, struct extent extent)
{
    const uint32_t n = make_even(extent.n);
    const size_t at = find_place(extents, extent.first);
    struct extent *before = at > 0 ? &extents->free[at - 1] : NULL;
    struct extent *after = at < extents->n_free ? &extents->free[at] : NULL;
    const bool joins_before = before && before->first + before->n == extent.first;
    const bool joins_after = after && extent.first + n == after->first;

    if (n == 0)
        return 0;
    if (!joins_before && !joins_after) {
        if (open_gap(extents, at) < 0)
            return -ENOMEM;
        extents->free[at] = (struct extent){.first = extent.first, .n = n};
    } else if (joins_before) {
        before->n += n + (joins_after ? after->n : 0);
        if (joins_after)
            close_gap(extents, at);
    } else {
        after->first = extent.first;
        after->n += n;
    }
    extents->n_taken -= n;
    return 0;
}
