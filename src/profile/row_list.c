/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/row_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "reader/object_reader.h"

#define PLACES ((size_t)4 * OBJECT_RULES_MOST)

_Static_assert((PLACES & (PLACES - 1)) == 0, "places are found by a mask");

int row_list_init(struct row_list *list)
{
    *list = (struct row_list){
        .rules = calloc(OBJECT_RULES_MOST, sizeof(*list->rules)),
        .places = calloc(PLACES, sizeof(*list->places)),
    };
    return list->rules && list->places ? 0 : -ENOMEM;
}

void row_list_done(struct row_list *list)
{
    free(list->rows);
    free(list->rules);
    free(list->places);
    *list = (struct row_list){0};
}

/* FNV-1a. Whoever makes rules collide slows down the reading of the own file only. */
static size_t hash(const struct unwind_rule *rule)
{
    const unsigned char *bytes = (const unsigned char *)rule;
    uint32_t value = UINT32_C(2166136261);

    for (size_t i = 0; i < sizeof(*rule); i++)
        value = (value ^ bytes[i]) * UINT32_C(16777619);
    return (value ^ (value >> 16)) & (PLACES - 1);
}

/* The number of the rule, which is made where there is none. False: there are too many. */
static bool find_rule(struct row_list *list, const struct unwind_rule *rule, uint32_t *ret_number)
{
    size_t place = hash(rule);

    for (; list->places[place] != 0; place = (place + 1) & (PLACES - 1)) {
        *ret_number = list->places[place] - 1U;
        if (memcmp(&list->rules[*ret_number], rule, sizeof(*rule)) == 0)
            return true;
    }
    if (list->n_rules == OBJECT_RULES_MOST)
        return false;
    *ret_number = (uint32_t)list->n_rules++;
    list->rules[*ret_number] = *rule;
    list->places[place] = (uint16_t)list->n_rules;
    return true;
}

int row_list_add(struct row_list *list, uint32_t address, const struct unwind_rule *rule)
{
    struct object_row *rows;
    uint32_t number;

    if (!find_rule(list, rule, &number))
        return OBJECT_TOO_LARGE;
    if (list->n_rows > 0 && list->rows[list->n_rows - 1].address == address)
        list->n_rows--;
    if (list->n_rows > 0 && list->rows[list->n_rows - 1].rule == number)
        return OBJECT_READ;
    if (list->n_rows == OBJECT_ROWS_MOST)
        return OBJECT_TOO_LARGE;
    rows = array_reserve(list->rows, sizeof(*rows), &list->rows_capacity, list->n_rows + 1);
    if (!rows)
        return -ENOMEM;
    list->rows = rows;
    list->rows[list->n_rows++] = (struct object_row){address, number};
    return OBJECT_READ;
}
