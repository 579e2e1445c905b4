/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A chunk is some rows of one target: times, and totals. It stands by itself: its first row may be
 * the last one of the chunk before (has_base), so that what was counted between both is not lost,
 * and a chunk that is damaged takes no other with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"

/* In the place of a total: it is not known. */
#define ROW_UNKNOWN UINT64_MAX

/* No chunk has more than these. */
#define CHUNK_ROWS_MAX    4096
#define CHUNK_NUMBERS_MAX 4096

struct chunk_rows {
    size_t n_rows, n_numbers;
    bool has_base;          /* the first row belongs to the chunk before */
    uint64_t *monotonic_us; /* ascending */
    uint64_t *realtime_ms;
    uint64_t *totals; /* [row * n_numbers + number] */
};

/* Makes room for rows, whose number it sets. 0 or -ENOMEM. */
int chunk_rows_init(struct chunk_rows *rows, size_t n_rows, size_t n_numbers);
void chunk_rows_done(struct chunk_rows *rows);

static inline void cleanup_chunk_rows(struct chunk_rows *rows)
{
    chunk_rows_done(rows);
}
#define AUTO_CHUNK_ROWS __attribute__((cleanup(cleanup_chunk_rows)))

/* The least and the greatest time of day of the rows, without that of the base. */
void chunk_rows_span(const struct chunk_rows *rows, uint64_t *ret_start_ms, uint64_t *ret_end_ms);

/* Appends the rows as they are stored: columns in a code of differences, compressed. 0 or -errno.
 */
int chunk_encode(const struct chunk_rows *rows, struct text *blob);

/*
 * Reads such a blob. n_numbers is how many numbers its rows are to have. 0; -EBADMSG: it is no
 * chunk, or it is damaged; -ENOMEM.
 */
int chunk_decode(const void *blob, size_t length, size_t n_numbers, struct chunk_rows *ret_rows);

/* Compresses bytes, and makes of them what they were. `most` is how long they may become. */
int chunk_compress(const void *bytes, size_t length, struct text *blob);
int chunk_decompress(const void *blob, size_t length, size_t most, struct text *bytes);
