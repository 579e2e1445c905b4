/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which columns fit into a terminal of some width. */

#include "tool/top/rows.h"

struct top_layout {
    enum top_column_id columns[N_TOP_COLUMNS]; /* those that are shown, from left to right */
    size_t n_columns;
    size_t spark; /* columns of the terminal for the sparkline; 0: there is none */
    size_t name;  /* columns of the terminal for the name, which stands at the end */
};

/*
 * Lays the table out. Columns without numbers here are left out. Where the terminal is too narrow
 * the last ones go first, but never that of the order.
 */
struct top_layout top_layout_make(const struct top_rows *rows, enum top_column_id order,
                                  size_t width);
