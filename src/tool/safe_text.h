/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Text for a terminal. Strangers choose names of targets and of events, so a name may hold
 * sequences that move the cursor, characters that turn the direction of a line, and bytes that are
 * no characters. Only characters that take one or two columns are shown as they are; anything else
 * is written as \xHH (a byte), \uHHHH or \UHHHHHHHH (a character). What takes how many columns is
 * what wcwidth() says, and so depends on the locale: in that of ASCII every other character is
 * written so.
 */

#include <stddef.h>

#include "base/text.h"

/* Appends n bytes, safe to be shown. */
void safe_text_append(struct text *text, const char *bytes, size_t n);

/* Returns how many columns a safe text takes. */
size_t safe_text_width(const char *safe, size_t n);

/* Appends as much of the beginning of a safe text as fits into these columns; returns how many it
 * takes of them. */
size_t safe_text_append_start(struct text *text, const char *safe, size_t n, size_t width);

/*
 * Appends a safe text cut to a width: what does not fit is taken out of its middle, and `mark`
 * ("…" or "~", one column) stands in its place. Returns the columns that were appended: `width` at
 * the most, and one less where a character of two columns would have been cut in half.
 */
size_t safe_text_append_cut(struct text *text, const char *safe, size_t n, size_t width,
                            const char *mark);
