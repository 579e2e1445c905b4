/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A table of texts in aligned columns, two spaces apart. In a terminal its lines fit:
 * columns that may be cut give way, the last one first, and each keeps eight columns at least.
 * Elsewhere all is whole: a text of more than 60 columns sticks out of such a column.
 * Memory that runs out is told once, when the table is written.
 */

#include "base/text.h"
#include "tool/terminal.h"

struct table_column {
    const char *title; /* NULL in all columns: the table has no line of titles */
    bool is_right;     /* its texts end at the same place, as numbers do */
    bool may_be_cut;   /* it gives way where the terminal is too narrow */
};

struct table;

/* columns: borrowed for the table's life. NULL: no memory. */
struct table *table_new(const struct table_column *columns, size_t n);
struct table *table_free(struct table *table);
DEFINE_AUTO(table, struct table *, table_free)

/*
 * Adds the next cell; a row has one for each column. The text is copied, and shown by
 * terminal_append_shown().
 */
void table_add(struct table *table, const char *text, enum style style);
void table_add_format(struct table *table, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A time, in seconds since 1970, as a date and a time of the day here; and that as a cell. */
#define TABLE_TIME_SIZE 32
void table_print_time(double seconds, char ret_text[TABLE_TIME_SIZE]);
void table_add_time(struct table *table, double seconds);

/*
 * Adds a line of its own between rows, from the first column on: a heading, or "" for an empty
 * line. It has no part in the widths of columns. To be called between whole rows.
 */
void table_add_line(struct table *table, const char *text, enum style style);

/* Appends the table as lines. 0 or -ENOMEM. */
int table_write(const struct table *table, const struct terminal *terminal, struct text *out);

/* Writes it to stdout. 0 or -ENOMEM. */
int table_print(const struct table *table);
