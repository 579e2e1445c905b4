/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Numbers and sparklines as they stand in the table. */

#include <stdbool.h>

#include "base/text.h"
#include "tool/top/rows.h"

#define TOP_CELL_WIDTH                                                                             \
    9 /* columns of the terminal that a number takes, the gap before it included */

/* Which characters the terminal can show. */
struct top_glyphs {
    const char *cut;           /* stands for what was left out of a name */
    const char *levels[8];     /* of a sparkline, the lowest first */
    const char *branch, *last; /* before a line of the tree: others follow below it, or not */
    const char *pass, *blank;  /* before the lines of a branch that goes on, or has ended */
    const char *bar;           /* fills the meter of the CPUs */
};

/* The glyphs for a terminal with Unicode, or those of ASCII. */
const struct top_glyphs *top_glyphs(bool is_utf8);

/*
 * Appends a number in at most 7 characters: 0.53, 12.30, 1234, 56.7k, 8.90M. What is not known is
 * "-". is_small: as in struct top_column.
 */
void top_cells_append_number(struct text *text, double value, bool is_small);

/*
 * Appends a sparkline of `width` characters, TOP_HISTORY at the most, with the last value at its
 * end. Its full height is the largest value in it, or the least one that the column allows. What is
 * not known is a blank.
 */
void top_cells_append_sparkline(struct text *text, const struct top_rows *rows,
                                const struct top_row *row, enum top_column_id id, unsigned width,
                                const struct top_glyphs *glyphs);
