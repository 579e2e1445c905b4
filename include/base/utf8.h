/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One character of UTF-8 at a time, strictly (RFC 3629). */

#include <stddef.h>
#include <stdint.h>

#define UTF8_LONGEST 4 /* bytes of a character */

/*
 * The length of the character that begins the bytes, and its code point; NUL is
 * one too. 0, and the output untouched, where none begins there: not the shortest
 * form, a surrogate, beyond U+10FFFF, or cut off.
 *
 * Reads at most n bytes and none behind one that cannot belong to the character,
 * so for a string that ends in NUL n may be UTF8_LONGEST wherever it ends.
 */
size_t utf8_decode(const char *bytes, size_t n, uint32_t *ret_code);
