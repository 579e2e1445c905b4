/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which places of an array are free: runs of places are taken and given back. */

#include <stddef.h>
#include <stdint.h>

struct extent {
    uint32_t first, n;
};

struct extents {
    struct extent *free; /* sorted; no two touch each other */
    size_t n_free, capacity;
    size_t n_taken; /* places */
};

/* 0 or -ENOMEM. */
int extents_init(struct extents *extents, uint32_t n);
void extents_done(struct extents *extents);

/*
 * Takes n > 0 places that follow each other, beginning at an even one. 0; -ENOSPC: there is no such
 * run; -ENOMEM.
 */
int extents_take(struct extents *extents, uint32_t n, struct extent *ret_extent);

/*
 * Gives back what was taken; n 0: nothing. 0; -ENOMEM: the places are lost until extents_done(),
 * which happens only if no memory is left for one more run.
 */
int extents_give_back(struct extents *extents, struct extent extent);
