/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Some bytes of a text that somebody else owns. */
struct text_piece {
    const char *bytes;
    size_t n;
};

static inline bool text_piece_is(struct text_piece piece, const char *text)
{
    return piece.n == strlen(text) && memcmp(piece.bytes, text, piece.n) == 0;
}
