/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bytes are those of a process that has read a hostile file, so everything is copied first and
 * then judged. A table that passes may still tell lies about its own file; they reach no other one.
 */
#include "profile/object_table.h"

#include <errno.h>
#include <string.h>

#include "profile/object_message.h"

#define ADDRESS_LIMIT UINT64_C(0x80000000)
#define BASE_UNIT     (UINT64_C(1) << UNWIND_PAGE_BITS)

struct object_table *object_table_free(struct object_table *table)
{
    if (!table)
        return NULL;
    free(table->rows);
    free(table->rules);
    free(table->starts);
    free(table);
    return NULL;
}

/* Whether the head is one, with as many bytes behind it as it says. */
static bool head_holds(const struct object_table_head *head, size_t n)
{
    if (head->mark != OBJECT_TABLE_MARK || head->base % BASE_UNIT != 0 ||
        head->n_segments > OBJECT_SEGMENTS_MOST || head->n_build_id > OBJECT_BUILD_ID_MOST ||
        head->has_unwind > 1 || head->n_rows > OBJECT_ROWS_MOST ||
        head->n_rules > OBJECT_RULES_MOST || head->n_starts > OBJECT_STARTS_MOST)
        return false;
    return n == sizeof(*head) + head->n_rows * sizeof(struct object_row) +
                    head->n_rules * sizeof(struct unwind_rule) + head->n_starts * sizeof(uint32_t);
}

static bool segments_hold(const struct object_table_head *head)
{
    for (size_t i = 0; i < head->n_segments; i++) {
        const struct object_segment *segment = &head->segments[i];

        if (segment->address < head->base || segment->address - head->base > ADDRESS_LIMIT ||
            segment->size > ADDRESS_LIMIT - (segment->address - head->base) ||
            segment->offset > INT64_MAX - segment->size)
            return false;
    }
    return true;
}

static bool rows_hold(const struct object_table *table)
{
    uint64_t least = 0;

    for (size_t i = 0; i < table->n_rows; i++) {
        const struct object_row *row = &table->rows[i];

        if (row->address < least || row->address >= ADDRESS_LIMIT || row->rule >= table->n_rules)
            return false;
        least = (uint64_t)row->address + 1;
    }
    return true;
}

static bool rules_hold(const struct object_table *table)
{
    for (size_t i = 0; i < table->n_rules; i++) {
        const struct unwind_rule *rule = &table->rules[i];

        if (rule->cfa > UNWIND_CFA_SIGNAL || rule->fp > UNWIND_REGISTER_LOST ||
            rule->ra > UNWIND_REGISTER_LOST || rule->unused != 0)
            return false;
    }
    return true;
}

static bool starts_hold(const struct object_table *table)
{
    uint32_t least = 0;

    for (size_t i = 0; i < table->n_starts; i++) {
        const uint32_t start = table->starts[i] & ~OBJECT_START_GAP;

        if (start < least)
            return false;
        least = start + 1;
    }
    return true;
}

/* Copies n items, and goes on behind them. NULL: no memory. */
static void *take_items(const char **from, size_t n, size_t size)
{
    void *items = reallocarray(NULL, n > 0 ? n : 1, size);

    if (!items)
        return NULL;
    memcpy(items, *from, n * size);
    *from += n * size;
    return items;
}

static void fill(struct object_table *table, const struct object_table_head *head)
{
    table->base = head->base;
    table->n_segments = (size_t)head->n_segments;
    memcpy(table->segments, head->segments, table->n_segments * sizeof(table->segments[0]));
    table->n_build_id = (size_t)head->n_build_id;
    memcpy(table->build_id, head->build_id, table->n_build_id);
    table->has_unwind = head->has_unwind == 1;
    table->n_rows = (size_t)head->n_rows;
    table->n_rules = (size_t)head->n_rules;
    table->n_starts = (size_t)head->n_starts;
}

int object_table_parse(const void *bytes, size_t n, struct object_table **ret_table)
{
    AUTO(object_table) struct object_table *table = calloc(1, sizeof(*table));
    const char *rest = bytes;
    struct object_table_head head;

    if (!table)
        return -ENOMEM;
    if (n < sizeof(head))
        return -EBADMSG;
    memcpy(&head, rest, sizeof(head));
    if (!head_holds(&head, n) || !segments_hold(&head))
        return -EBADMSG;
    fill(table, &head);
    rest += sizeof(head);
    table->rows = take_items(&rest, table->n_rows, sizeof(*table->rows));
    table->rules = take_items(&rest, table->n_rules, sizeof(*table->rules));
    table->starts = take_items(&rest, table->n_starts, sizeof(*table->starts));
    if (!table->rows || !table->rules || !table->starts)
        return -ENOMEM;
    if (!rows_hold(table) || !rules_hold(table) || !starts_hold(table))
        return -EBADMSG;
    *ret_table = TAKE(table);
    return 0;
}

/* The first place in `starts` that has a higher address. */
static size_t find_behind(const struct object_table *table, uint32_t address)
{
    size_t low = 0, high = table->n_starts;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if ((table->starts[middle] & ~OBJECT_START_GAP) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool object_table_function(const struct object_table *table, uint32_t address, uint32_t *ret_start)
{
    const size_t behind = find_behind(table, address);

    if (behind == 0 || (table->starts[behind - 1] & OBJECT_START_GAP))
        return false;
    *ret_start = table->starts[behind - 1];
    return true;
}

/* The last one ends where its segment does. */
uint32_t object_table_function_end(const struct object_table *table, uint32_t start)
{
    const size_t behind = find_behind(table, start);
    uint64_t end =
        behind < table->n_starts ? table->starts[behind] & ~OBJECT_START_GAP : UINT32_MAX;

    for (size_t i = 0; i < table->n_segments; i++) {
        const uint64_t from = table->segments[i].address - table->base;
        const uint64_t to = from + table->segments[i].size;

        if (start >= from && start < to && to < end)
            end = to;
    }
    return (uint32_t)end;
}

bool object_table_address(const struct object_table *table, uint32_t place, uint32_t *ret_address)
{
    for (size_t i = 0; i < table->n_segments; i++) {
        const struct object_segment *segment = &table->segments[i];

        if (place >= segment->offset && place - segment->offset < segment->size) {
            *ret_address = (uint32_t)(place - segment->offset + (segment->address - table->base));
            return true;
        }
    }
    return false;
}
