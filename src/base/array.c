/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

/* Of a new array: most lists of what changed in a cycle are shorter. */
#define FIRST_CAPACITY 16

void *array_reserve(void *items, size_t item_size, size_t *capacity, size_t wanted)
{
    size_t larger = *capacity ? *capacity : FIRST_CAPACITY;
    void *grown;

    if (items && wanted <= *capacity)
        return items;
    while (larger < wanted)
        larger = larger <= SIZE_MAX / 2 ? 2 * larger : SIZE_MAX;
    grown = reallocarray(items, larger, item_size);
    if (grown)
        *capacity = larger;
    return grown;
}
