/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the user has chosen on the screen of `pmutool top`, and how keys change it. */

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "tool/top/line.h"

#define TOP_LONGEST_FILTER 256 /* in bytes */

struct top_state {
    struct top_settings settings; /* Its filter is the text below. */
    char filter[TOP_LONGEST_FILTER + 1];
    bool is_typing; /* Keys are taken as text of the filter. */
    bool is_paused; /* The table stays as it is. */
    bool shows_help;
    size_t scroll; /* so many lines are above the screen; the screen keeps it within the list */
    size_t page;   /* so many lines are on the screen */
    bool has[N_TOP_ORDERS]; /* The table has these columns. */
};

enum top_action {
    TOP_NOTHING,
    TOP_REDRAW, /* The list is to be made and shown anew. */
    TOP_QUIT,
};

/*
 * Takes a key: as get_wch() of curses returns it, and whether it is a KEY_ of curses (is_function).
 * A key without a meaning does nothing.
 */
enum top_action top_state_take_key(struct top_state *state, wint_t key, bool is_function);

/* A key and what it does, for the help. The last one has NULL. Keys that sort are not among them.
 */
struct top_key_help {
    const char *keys, *help;
};
extern const struct top_key_help top_key_helps[];
