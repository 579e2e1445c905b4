/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/layout.h"

#include "tool/top/cells.h"

#define GAP            2  /* before the sparkline and before the name */
#define SHORTEST_NAME  20 /* Columns give way before a name is shorter. */
#define SHORTEST_SPARK 8
#define WIDE           72 /* A terminal from this width on has a sparkline. */

/* Leaves out the last column that is not that of the order. */
static bool leave_one_out(struct top_layout *layout, enum top_column_id order)
{
    for (size_t i = layout->n_columns; i-- > 0;) {
        if (layout->columns[i] == order)
            continue;
        for (layout->n_columns--; i < layout->n_columns; i++)
            layout->columns[i] = layout->columns[i + 1];
        return true;
    }
    return false;
}

static size_t left_of(size_t width, size_t used)
{
    return width > used ? width - used : 0;
}

struct top_layout top_layout_make(const struct top_rows *rows, enum top_column_id order,
                                  size_t width)
{
    struct top_layout layout = {0};
    const size_t least_spark = width >= WIDE ? SHORTEST_SPARK + GAP : 0;
    size_t left;

    for (enum top_column_id id = 0; id < N_TOP_COLUMNS; id++)
        if (top_rows_have(rows, id))
            layout.columns[layout.n_columns++] = id;
    while (layout.n_columns * TOP_CELL_WIDTH + GAP + SHORTEST_NAME + least_spark > width)
        if (!leave_one_out(&layout, order))
            break;
    left = left_of(width, layout.n_columns * TOP_CELL_WIDTH + GAP);
    if (least_spark > 0) { /* It gets a third of what is left beside the shortest name. */
        layout.spark = SHORTEST_SPARK + (left - least_spark - SHORTEST_NAME) / 3;
        if (layout.spark > TOP_HISTORY)
            layout.spark = TOP_HISTORY;
        left -= layout.spark + GAP;
    }
    layout.name = left;
    return layout;
}
