/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The table on a terminal, by curses. Only one screen may be open at a time. */

#include <stdbool.h>
#include <wchar.h>

#include "tool/top/draw.h"

struct top_screen;

/*
 * Takes the terminal over. What is written to standard error from now on is kept back (64 KiB of
 * it) and written when the screen is freed. Returns 0; -ENOTTY: curses does not know this type of
 * terminal; another -errno.
 */
int top_screen_new(struct top_screen **ret_screen);

/* Gives the terminal back as it was. Takes NULL, and returns it. */
struct top_screen *top_screen_free(struct top_screen *screen);
DEFINE_AUTO(top_screen, struct top_screen *, top_screen_free)

/* Draws everything, as top_draw() says. */
void top_screen_draw(struct top_screen *screen, const struct top_rows *rows,
                     const struct top_view *view, struct top_state *state,
                     const struct top_about *about, const char *trouble);

/* Reads a key. Returns false if there is none. */
bool top_screen_read_key(struct top_screen *screen, wint_t *ret_key, bool *ret_is_function);

/* The terminal may have another size, or may have been written to by somebody else. */
void top_screen_renew(struct top_screen *screen);

/* Gives the terminal back for as long as the program is stopped, and stops it. */
void top_screen_suspend(struct top_screen *screen);
