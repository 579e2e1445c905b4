/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A row is: the time since the row before, in microseconds; by how much the time of day advanced
 * more than that, in milliseconds; then for each eight numbers a byte of bits that tell which of
 * them have something to say. That is the zigzag code of the difference plus one, or a 0, by which
 * a number becomes unknown. An unknown number that becomes known again says at least a difference
 * of 0.
 */
#include "history/open_rows.h"

#include <errno.h>
#include <string.h>

#include "history/column_code.h"

int open_rows_init(struct open_rows *rows, size_t n_numbers)
{
    struct open_rows made = {.n_numbers = n_numbers};

    made.last = calloc(n_numbers + 1, sizeof(*made.last));
    made.unknown = calloc(n_numbers + 1, sizeof(*made.unknown));
    *rows = made;
    if (!made.last || !made.unknown) {
        open_rows_done(rows);
        return -ENOMEM;
    }
    memset(made.unknown, NEVER_KNOWN, n_numbers);
    return 0;
}

void open_rows_done(struct open_rows *rows)
{
    text_done(&rows->bytes);
    free(rows->last);
    free(rows->unknown);
    *rows = (struct open_rows){0};
}

static bool says_something(const struct open_rows *rows, size_t number, uint64_t total)
{
    if (total == ROW_UNKNOWN)
        return !rows->unknown[number];
    return rows->unknown[number] || total != rows->last[number];
}

/* A difference whose code would be 2^64 is written in two: zero is taken. */
static void append_number(struct open_rows *rows, size_t number, uint64_t total)
{
    const uint64_t code = code_zigzag(total - rows->last[number]);

    if (total == ROW_UNKNOWN) {
        code_append_varint(&rows->bytes, 0);
        return;
    }
    if (code < UINT64_MAX - 1) {
        code_append_varint(&rows->bytes, code + 1);
        return;
    }
    code_append_varint(&rows->bytes, UINT64_MAX);
    code_append_varint(&rows->bytes, code);
}

static void append_totals(struct open_rows *rows, const uint64_t *totals)
{
    for (size_t i = 0; i < rows->n_numbers; i += 8) {
        uint8_t bits = 0;

        for (size_t j = i; j < i + 8 && j < rows->n_numbers; j++)
            bits |= (uint8_t)(says_something(rows, j, totals[j]) << (j - i));
        text_append_char(&rows->bytes, (char)bits);
        for (size_t j = i; j < i + 8 && j < rows->n_numbers; j++)
            if (bits & (1U << (j - i)))
                append_number(rows, j, totals[j]);
    }
}

int open_rows_append(struct open_rows *rows, uint64_t monotonic_us, uint64_t realtime_ms,
                     const uint64_t *totals)
{
    const size_t length = rows->bytes.length;

    code_append_varint(&rows->bytes, monotonic_us - rows->monotonic_us);
    code_append_varint(&rows->bytes, code_zigzag(realtime_ms - rows->realtime_ms -
                                                 (monotonic_us - rows->monotonic_us) / 1000));
    append_totals(rows, totals);
    if (text_error(&rows->bytes) < 0) {
        rows->bytes.length = length;
        rows->bytes.failed = false;
        return -ENOMEM;
    }
    if (rows->n_rows++ == 0)
        rows->first_monotonic_us = monotonic_us;
    rows->monotonic_us = monotonic_us;
    rows->realtime_ms = realtime_ms;
    for (size_t i = 0; i < rows->n_numbers; i++) {
        if (totals[i] == ROW_UNKNOWN) {
            rows->unknown[i] = rows->unknown[i] == NEVER_KNOWN ? NEVER_KNOWN : NOT_KNOWN_NOW;
            continue;
        }
        rows->unknown[i] = KNOWN;
        rows->last[i] = totals[i];
    }
    return 0;
}

static void read_number(struct code_cursor *cursor, uint64_t *last, uint8_t *unknown)
{
    uint64_t code = 0;

    (void)code_read_varint(cursor, &code);
    *unknown = code == 0 ? NOT_KNOWN_NOW : KNOWN;
    if (code == UINT64_MAX)
        (void)code_read_varint(cursor, &code);
    else
        code--;
    if (!*unknown)
        *last += code_unzigzag(code);
}

/* `last` and `unknown` go on from row to row. */
static void read_totals(struct code_cursor *cursor, size_t n_numbers, uint64_t *last,
                        uint8_t *unknown, uint64_t *totals)
{
    for (size_t i = 0; i < n_numbers; i += 8) {
        const uint8_t bits = cursor->bytes[cursor->at++];

        for (size_t j = i; j < i + 8 && j < n_numbers; j++) {
            if (bits & (1U << (j - i)))
                read_number(cursor, &last[j], &unknown[j]);
            totals[j] = unknown[j] ? ROW_UNKNOWN : last[j];
        }
    }
}

int open_rows_read(const struct open_rows *rows, struct chunk_rows *ret_rows)
{
    struct code_cursor cursor = {(const uint8_t *)rows->bytes.data, rows->bytes.length, 0};
    AUTO_FREE uint64_t *last = calloc(rows->n_numbers + 1, sizeof(*last));
    AUTO_FREE uint8_t *unknown = calloc(rows->n_numbers + 1, sizeof(*unknown));
    uint64_t monotonic_us = 0, realtime_ms = 0;

    if (!last || !unknown || chunk_rows_init(ret_rows, rows->n_rows, rows->n_numbers) < 0)
        return -ENOMEM;
    memset(unknown, NEVER_KNOWN, rows->n_numbers);
    ret_rows->has_base = rows->has_base;
    for (size_t i = 0; i < rows->n_rows; i++) {
        uint64_t advance = 0, more = 0;

        (void)code_read_varint(&cursor, &advance);
        (void)code_read_varint(&cursor, &more);
        ret_rows->monotonic_us[i] = monotonic_us += advance;
        ret_rows->realtime_ms[i] = realtime_ms += advance / 1000 + code_unzigzag(more);
        read_totals(&cursor, rows->n_numbers, last, unknown,
                    &ret_rows->totals[i * rows->n_numbers]);
    }
    return 0;
}

/* What is not known now was known before: the next difference covers both. */
int open_rows_restart(struct open_rows *rows)
{
    struct open_rows fresh;
    AUTO_FREE uint64_t *totals = calloc(rows->n_numbers + 1, sizeof(*totals));
    int r = totals ? open_rows_init(&fresh, rows->n_numbers) : -ENOMEM;

    if (r < 0)
        return r;
    for (size_t i = 0; i < rows->n_numbers; i++)
        totals[i] = rows->unknown[i] == NEVER_KNOWN ? ROW_UNKNOWN : rows->last[i];
    r = rows->n_rows ? open_rows_append(&fresh, rows->monotonic_us, rows->realtime_ms, totals) : 0;
    if (r < 0) {
        open_rows_done(&fresh);
        return r;
    }
    fresh.has_base = fresh.n_rows > 0;
    open_rows_done(rows);
    *rows = fresh;
    return 0;
}
