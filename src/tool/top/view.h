/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which targets are shown, and in which order: a list of lines made of the rows. It is made anew
 * after each page and each key, and borrows the rows, so it is used before the next page is taken
 * over.
 */

#include "tool/top/line.h"

struct top_view {
    struct top_line *lines;
    size_t n;
};

/* Makes the list. Returns 0, or -ENOMEM with an empty view. */
int top_view_make(const struct top_rows *rows, const struct top_settings *settings,
                  struct top_view *ret_view);
void top_view_done(struct top_view *view);
