/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How a column of integers is written: as the differences of successive numbers, of which the
 * expected one, an average of those before, is taken off; what is left is written in a Rice code
 * whose parameter follows the size of what was left before. A total that grows as before takes a
 * bit, and one that varies takes little more than the bits of its variation. All arithmetic is
 * modulo 2^64, so that any numbers come back as they were.
 * https://en.wikipedia.org/wiki/Golomb_coding#Rice_coding
 */

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Appends a number in as many bytes as it needs, seven bits in each (LEB128). */
void code_append_varint(struct text *text, uint64_t value);

/* Where a reader of bytes stands. */
struct code_cursor {
    const uint8_t *bytes;
    size_t length;
    size_t at;
};

/* Reads such a number. 0, or -EBADMSG if there is none; then the cursor stays. */
int code_read_varint(struct code_cursor *cursor, uint64_t *ret_value);

static inline uint64_t code_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

static inline uint64_t code_unzigzag(uint64_t code)
{
    return (code >> 1) ^ (0 - (code & 1));
}

/* Appends n numbers, which stand `stride` numbers apart. */
void code_append_column(struct text *text, const uint64_t *numbers, size_t stride, size_t n);

/* Reads n of them. 0, or -EBADMSG if they are not all there. */
int code_read_column(struct code_cursor *cursor, uint64_t *numbers, size_t stride, size_t n);
