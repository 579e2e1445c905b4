/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where output goes: a terminal gets colour and lines that fit, a pipe gets plain text that is
 * whole. Text that others chose (names of events, of processes) never steers a terminal.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct terminal {
    bool is_terminal;
    bool has_colour; /* It is a terminal, TERM is not "dumb", and NO_COLOR is not set. */
    size_t width;    /* in columns; 0: lines may be of any length */
    size_t height;   /* in lines; 0: there may be any number */
};

/* Asks about a stream, for its descriptor. The environment decides about colour. */
struct terminal terminal_of(int fd);

enum style {
    STYLE_PLAIN,
    STYLE_HEADING, /* bold */
    STYLE_FAINT,   /* what is there to explain */
    STYLE_GOOD,    /* green */
    STYLE_WARNING, /* yellow */
    STYLE_BAD,     /* red */
    STYLE_COUNT_,
};

/* What begins the style in a terminal with colour, and what ends it; "" for STYLE_PLAIN. Static. */
const char *terminal_begin_style(enum style style);
const char *terminal_end_style(enum style style);

/*
 * Appends a text in one line, as tool/safe_text.h shows it; line feeds and tabs become spaces. At
 * most `width` columns are appended, the last of them an ellipsis where the text has more; 0: all.
 * Returns how many columns were appended.
 */
size_t terminal_append_shown(struct text *out, const char *string, size_t width);
