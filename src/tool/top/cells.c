/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/cells.h"

#include <math.h>
#include <stdio.h>

#define N_LEVELS 8

static const struct top_glyphs unicode = {
    .cut = "…",
    .levels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
    .branch = "├─ ",
    .last = "└─ ",
    .pass = "│  ",
    .blank = "   ",
    .bar = "|",
};

static const struct top_glyphs ascii = {
    .cut = "~",
    .levels = {"_", ".", ":", "-", "=", "+", "*", "#"},
    .branch = "|- ",
    .last = "`- ",
    .pass = "|  ",
    .blank = "   ",
    .bar = "|",
};

const struct top_glyphs *top_glyphs(bool is_utf8)
{
    return is_utf8 ? &unicode : &ascii;
}

void top_cells_append_number(struct text *text, double value, bool is_small)
{
    static const char units[] = " kMGTPE";
    size_t unit = 0;

    if (!isfinite(value)) {
        text_append_char(text, '-');
        return;
    }
    if (value < 9999.5) {
        text_append_format(text, is_small ? "%.2f" : "%.0f", value);
        return;
    }
    while (value >= 999.5 && units[unit + 1]) {
        value /= 1000;
        unit++;
    }
    text_append_format(text, "%.*f%c",
                       value < 9.995   ? 2
                       : value < 99.95 ? 1
                                       : 0,
                       value, units[unit]);
}

/* Returns the largest value of those that are shown, or the least one that the column allows. */
static double top_of(const struct top_rows *rows, const struct top_row *row, enum top_column_id id,
                     unsigned width)
{
    double top = top_columns[id].least_top;

    for (unsigned ago = 0; ago < width; ago++)
        top = fmax(top, top_row_past(rows, row, id, ago));
    return top;
}

void top_cells_append_sparkline(struct text *text, const struct top_rows *rows,
                                const struct top_row *row, enum top_column_id id, unsigned width,
                                const struct top_glyphs *glyphs)
{
    const double top = top_of(rows, row, id, width);

    for (unsigned ago = width; ago-- > 0;) {
        const double value = top_row_past(rows, row, id, ago);
        const int level = isnan(value) ? -1 : (int)ceil(value / top * N_LEVELS) - 1;

        if (isnan(value))
            text_append_char(text, ' ');
        else
            text_append_string(text, glyphs->levels[level < 0 ? 0 : level]);
    }
}
