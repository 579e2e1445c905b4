/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rows of a table as they are made: in the order of their addresses, with rules that occur once. */

#include "profile/code_ranges.h"
#include "profile/object_table.h"

/* What lies between two functions and is shorter only fills up: the rule before it goes on. */
#define PADDING_MOST 15

struct row_list {
    struct object_row *rows;
    size_t n_rows, rows_capacity;
    struct unwind_rule *rules;
    size_t n_rules;
    uint16_t *places; /* of rules by their hash: their number + 1 */
};

/* 0 or -ENOMEM. */
int row_list_init(struct row_list *list);
void row_list_done(struct row_list *list);

#define AUTO_ROW_LIST __attribute__((cleanup(row_list_done)))

/*
 * From this address on the rule holds. It is not less than that of the call before. OBJECT_READ;
 * OBJECT_TOO_LARGE: there are too many rows or rules; -ENOMEM.
 */
int row_list_add(struct row_list *list, uint32_t address, const struct unwind_rule *rule);
