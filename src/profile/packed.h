/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What profiles are packed as beside numbers (base/varint.h), which stands behind its length. What
 * is read may be damaged: the reader remembers that.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/varint.h"

void packed_put_string(struct text *bytes, const char *string);

/* A number from `least` to `most`; else 0, and what is read is bad. */
uint64_t packed_take(struct varint_reader *reader, uint64_t least, uint64_t most);

/* How many there are of what takes a byte at least. */
size_t packed_take_count(struct varint_reader *reader);

/* Borrowed from what is read. */
const char *packed_take_bytes(struct varint_reader *reader, size_t *ret_n);

/* A clean name. The caller frees it. NULL: no memory. */
char *packed_take_name(struct varint_reader *reader);
