/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Draws the screen of `pmutool top` by curses, which has the terminal already. */

#include "base/text.h"
#include "tool/top/batch.h"
#include "tool/top/cells.h"
#include "tool/top/state.h"

struct top_canvas {
    const struct top_glyphs *glyphs;
    bool has_colours;
    struct text text; /* what is drawn next; it is kept for its memory */
    int row;          /* the line of the terminal that is drawn; what does not fit is cut */
};

/* Sets the colours up. */
void top_draw_init(struct top_canvas *canvas, const struct top_glyphs *glyphs);
void top_draw_done(struct top_canvas *canvas);

/*
 * Draws everything. trouble: NULL, or why the numbers are old, in safe text. Keeps state->scroll
 * within the list and sets state->page and state->has.
 */
void top_draw(struct top_canvas *canvas, const struct top_rows *rows, const struct top_view *view,
              struct top_state *state, const struct top_about *about, const char *trouble);
