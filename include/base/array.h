/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Arrays that grow. The caller keeps the pointer, the number of items and the capacity. */

#include <stddef.h>

/*
 * Makes room for `wanted` items of `item_size` bytes. Returns the array, which may have moved, and
 * sets *capacity to the number of items that it has room for now. The capacity doubles, so that n
 * additions copy fewer than 2 n items in all. Returns NULL, with the old array and capacity as
 * they were, if there is no memory. `items` is NULL and *capacity is 0 for a new array.
 */
void *array_reserve(void *items, size_t item_size, size_t *capacity, size_t wanted);
