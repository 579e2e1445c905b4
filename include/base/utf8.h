/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Decodes UTF-8 strictly (RFC 3629), one character at a time. One byte in a label that is not
 * UTF-8 makes Prometheus refuse the whole page, so nothing doubtful may pass.
 */

#include <stddef.h>
#include <stdint.h>

#define UTF8_LONGEST 4 /* the most bytes that one character has */

/*
 * Decodes the character at the beginning of the bytes and returns its length. NUL is a character
 * too. Returns 0, with the output untouched, if the bytes there are no character: not the shortest
 * form, a surrogate, beyond U+10FFFF, or cut off.
 *
 * Reads at most n bytes, and none behind a byte that cannot belong to the character. So for a
 * string that ends in NUL, n may be UTF8_LONGEST also near its end.
 */
size_t utf8_decode(const char *bytes, size_t n, uint32_t *ret_code);
