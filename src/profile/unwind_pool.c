/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/unwind_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/rule_pool.h"

#define PAGE_BYTES (UINT32_C(1) << UNWIND_PAGE_BITS)

/* One file may take so much of the rules: far more than any that a compiler has made (LLVM's
 * drivers of GPUs have 839 of the 8,192). */
#define RULES_SHARE 4

struct unwind_pool {
    struct profile_arrays arrays;
    struct unwind_pool_size size;
    struct extents rows, pages;
    struct rule_pool *rules; /* each row holds its own */
    uint16_t none;           /* the rule of places of which nothing is known; it stays */
};

struct unwind_pool *unwind_pool_new(const struct profile_arrays *arrays,
                                    const struct unwind_pool_size *size)
{
    static const struct unwind_rule none = {.cfa = UNWIND_CFA_NONE};
    AUTO(unwind_pool) struct unwind_pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return NULL;
    pool->arrays = *arrays;
    pool->size = *size;
    pool->rules = rule_pool_new(arrays->rules, size->rules);
    if (!pool->rules || rule_pool_hold(pool->rules, &none, &pool->none) < 0 ||
        extents_init(&pool->rows, (uint32_t)size->rows) < 0 ||
        extents_init(&pool->pages, (uint32_t)size->pages) < 0)
        return NULL;
    return TAKE(pool);
}

struct unwind_pool *unwind_pool_free(struct unwind_pool *pool)
{
    if (!pool)
        return NULL;
    (void)rule_pool_free(pool->rules);
    extents_done(&pool->rows);
    extents_done(&pool->pages);
    free(pool);
    return NULL;
}

static void release_rules(struct unwind_pool *pool, const uint16_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rule_pool_release(pool->rules, numbers[i]);
}

/* Holds the rules of a table, by the numbers that they have here. 0, -ENOSPC or -ENOMEM. */
static int hold_rules(struct unwind_pool *pool, const struct object_table *table,
                      uint16_t *ret_numbers)
{
    for (size_t i = 0; i < table->n_rules; i++) {
        int r = rule_pool_hold(pool->rules, &table->rules[i], &ret_numbers[i]);

        if (r < 0) {
            release_rules(pool, ret_numbers, i);
            return r;
        }
    }
    return 0;
}

/* A table by place in the file. */
struct placed {
    const struct object_table *table;
    const uint16_t *numbers;
    uint16_t none;
    struct unwind_row *rows; /* NULL: they are counted only */
    struct profile_page *pages;
    uint32_t first_row; /* of the file, in the array */
    uint32_t n_rows, n_pages;
    uint16_t rule; /* of the row before */
};

static void add_row(struct placed *placed, uint32_t place, uint16_t rule)
{
    if (placed->rows)
        placed->rows[placed->n_rows] =
            (struct unwind_row){.address = (uint16_t)place, .rule = rule};
    placed->n_rows++;
    if (placed->pages)
        placed->pages[placed->n_pages - 1].n++;
}

/* Begins pages up to the one that has this place: each with the rule that holds at its beginning.
 */
static void go_to_page(struct placed *placed, uint32_t place)
{
    while (placed->n_pages <= place >> UNWIND_PAGE_BITS) {
        if (placed->pages)
            placed->pages[placed->n_pages] =
                (struct profile_page){.first = placed->first_row + placed->n_rows};
        placed->n_pages++;
        if (placed->n_pages <= place >> UNWIND_PAGE_BITS || place % PAGE_BYTES != 0)
            add_row(placed, 0, placed->rule);
    }
}

/* Goes through the rows of one segment. */
static void place_segment(struct placed *placed, const struct object_segment *segment,
                          size_t *next_row)
{
    const struct object_table *table = placed->table;
    const uint64_t end = segment->address + segment->size;

    for (; *next_row < table->n_rows; (*next_row)++) {
        const struct object_row *row = &table->rows[*next_row];
        const uint64_t address = table->base + row->address;
        uint32_t place;

        if (address >= end)
            break;
        if (address < segment->address)
            continue; /* in no segment: never executed */
        place = (uint32_t)(address - segment->address + segment->offset);
        go_to_page(placed, place);
        add_row(placed, place, placed->numbers[row->rule]);
        placed->rule = placed->numbers[row->rule];
    }
    if (placed->rule != placed->none) { /* it holds to the very end of the segment */
        const uint32_t past = (uint32_t)(segment->offset + segment->size);

        go_to_page(placed, past);
        add_row(placed, past, placed->none);
        placed->rule = placed->none;
    }
}

static void place_all(struct placed *placed)
{
    size_t next_row = 0;

    placed->n_rows = placed->n_pages = 0;
    placed->rule = placed->none;
    for (size_t i = 0; i < placed->table->n_segments; i++)
        place_segment(placed, &placed->table->segments[i], &next_row);
}

/* Whether segments have the same order in memory and in the file, without overlap, below 2^31. */
static bool are_in_order(const struct object_table *table)
{
    uint64_t address = 0, offset = 0;

    for (size_t i = 0; i < table->n_segments; i++) {
        const struct object_segment *segment = &table->segments[i];

        if (segment->address < address || segment->offset < offset || segment->size > INT32_MAX ||
            segment->offset > INT32_MAX - segment->size)
            return false;
        address = segment->address + segment->size;
        offset = segment->offset + segment->size;
    }
    return true;
}

/* Takes the places and fills them. */
static int fill(struct unwind_pool *pool, struct placed *placed, struct unwind_pages *ret_pages)
{
    struct unwind_pages pages = {0};
    int r;

    place_all(placed); /* only counts */
    if (placed->n_rows > pool->size.rows / 2 || placed->n_pages > pool->size.pages / 2)
        return -E2BIG;
    if (placed->n_rows == 0)
        return -E2BIG;
    r = extents_take(&pool->rows, placed->n_rows, &pages.rows);
    if (r < 0)
        return r;
    r = extents_take(&pool->pages, placed->n_pages, &pages.pages);
    if (r < 0) {
        (void)extents_give_back(&pool->rows, pages.rows);
        return r;
    }
    placed->rows = pool->arrays.rows + pages.rows.first;
    placed->pages = pool->arrays.pages + pages.pages.first;
    placed->first_row = pages.rows.first;
    place_all(placed);
    *ret_pages = pages;
    return 0;
}

/* The rows of a table that was entered hold their rules themselves. */
static void hold_rules_of_rows(struct unwind_pool *pool, const struct extent *rows)
{
    for (uint32_t i = 0; i < rows->n; i++)
        rule_pool_hold_again(pool->rules, pool->arrays.rows[rows->first + i].rule);
}

int unwind_pool_add(struct unwind_pool *pool, const struct object_table *table,
                    struct unwind_pages *ret_pages)
{
    AUTO_FREE uint16_t *numbers = calloc(table->n_rules + 1, sizeof(*numbers));
    struct placed placed = {.table = table, .numbers = numbers, .none = pool->none};
    int r;

    if (!numbers)
        return -ENOMEM;
    if (!are_in_order(table) || table->n_rules > pool->size.rules / RULES_SHARE)
        return -E2BIG;
    r = hold_rules(pool, table, numbers);
    if (r < 0)
        return r;
    r = fill(pool, &placed, ret_pages);
    if (r == 0)
        hold_rules_of_rows(pool, &ret_pages->rows);
    release_rules(pool, numbers, table->n_rules);
    return r;
}

void unwind_pool_remove(struct unwind_pool *pool, const struct unwind_pages *pages)
{
    for (uint32_t i = 0; i < pages->rows.n; i++)
        rule_pool_release(pool->rules, pool->arrays.rows[pages->rows.first + i].rule);
    (void)extents_give_back(&pool->rows, pages->rows);
    (void)extents_give_back(&pool->pages, pages->pages);
}

size_t unwind_pool_bytes(const struct unwind_pool *pool)
{
    return pool->rows.n_taken * sizeof(struct unwind_row) +
           pool->pages.n_taken * sizeof(struct profile_page) +
           rule_pool_count(pool->rules) * sizeof(struct profile_rule);
}
