/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who loses how much where all together have too much: those who have the most, first. */

#include <stddef.h>

/*
 * The greatest share such that nobody who has less loses anything, and all together have at most
 * `goal` when the others are cut down to it.
 */
static inline size_t fair_share(const size_t *amounts, size_t n, size_t goal)
{
    size_t least = 0, most = goal;

    while (least < most) {
        const size_t share = least + (most - least + 1) / 2;
        size_t sum = 0;

        for (size_t i = 0; i < n && sum <= goal; i++)
            sum += amounts[i] < share ? amounts[i] : share;
        if (sum <= goal)
            least = share;
        else
            most = share - 1;
    }
    return least;
}
