/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rows of a target that are not stored yet. There is one of these for each target, so they are
 * kept small: a row says which numbers have changed, and by how much.
 */

#include "history/chunk.h"

/* Whether the last row knows a number. */
enum { KNOWN, NOT_KNOWN_NOW, NEVER_KNOWN };

struct open_rows {
    struct text bytes;
    size_t n_rows, n_numbers;
    bool has_base;
    uint64_t first_monotonic_us;
    uint64_t monotonic_us, realtime_ms; /* of the last row */
    uint64_t *last;                     /* the last row; what it does not know, as known before */
    uint8_t *unknown;                   /* for each number: KNOWN, … */
};

/* Begins without rows, and so without a base. 0 or -ENOMEM. */
int open_rows_init(struct open_rows *rows, size_t n_numbers);
void open_rows_done(struct open_rows *rows);

/* Appends a row: n_numbers totals, or ROW_UNKNOWN. 0 or -ENOMEM, and then nothing has changed. */
int open_rows_append(struct open_rows *rows, uint64_t monotonic_us, uint64_t realtime_ms,
                     const uint64_t *totals);

/* Writes all rows out. 0 or -ENOMEM. */
int open_rows_read(const struct open_rows *rows, struct chunk_rows *ret_rows);

/* Begins again, with the last row as the base of what comes. 0 or -ENOMEM. */
int open_rows_restart(struct open_rows *rows);
