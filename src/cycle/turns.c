/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/turns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

/* More than there are tenants: they are numbered one after the other, or are users. */
#define ONE_ROUND (UINT64_C(1) << 62)

void turns_done(struct turns *turns)
{
    free(turns->turns);
    *turns = (struct turns){0};
}

void turns_clear(struct turns *turns)
{
    turns->n = 0;
}

int turns_add(struct turns *turns, void *what, void *of, uint64_t tenant)
{
    struct turn *array =
        array_reserve(turns->turns, sizeof(*array), &turns->capacity, turns->n + 1);

    if (!array)
        return -ENOMEM;
    turns->turns = array;
    array[turns->n] = (struct turn){.what = what, .of = of, .tenant = tenant, .order = turns->n};
    turns->n++;
    return 0;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_tenant(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    const int r = compare(a->tenant, b->tenant);

    return r != 0 ? r : compare(a->order, b->order);
}

static int by_turn(const void *left, const void *right)
{
    const struct turn *a = left, *b = right;
    int r = compare(a->rank, b->rank);

    if (r == 0)
        r = compare(a->after, b->after);
    return r != 0 ? r : compare(a->order, b->order);
}

void turns_sort(struct turns *turns)
{
    struct turn *array = turns->turns;

    if (turns->n == 0)
        return;
    qsort(array, turns->n, sizeof(*array), by_tenant);
    for (size_t i = 0; i < turns->n; i++) {
        const uint64_t tenant = array[i].tenant;
        const bool is_next = i > 0 && array[i - 1].tenant == tenant;

        array[i].rank = is_next && tenant > 0 ? array[i - 1].rank + 1 : 0;
        array[i].after = tenant > turns->last || tenant == 0 ? tenant : tenant + ONE_ROUND;
    }
    qsort(array, turns->n, sizeof(*array), by_turn);
}

void turns_took(struct turns *turns, size_t index)
{
    turns->last = turns->turns[index].tenant;
}
