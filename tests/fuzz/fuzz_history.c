/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whatever stands in a database: a layout, a chunk, a column, or a refusal, and no bad memory. And
 * whatever was counted: it comes back as it was written.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "history/chunk.h"
#include "history/column_code.h"
#include "history/layout.h"

#define NUMBERS 100
#define CPUS    8

/* Half of the chunks that are tried are behind a good checksum: they are compressed here. */
static void try_chunk(const uint8_t *data, size_t size)
{
    AUTO_TEXT struct text blob = {0};
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, packed = {0};

    if (chunk_decode(data, size, NUMBERS, &rows) == 0)
        FUZZ_CHECK(rows.n_rows > 0 && rows.n_numbers == NUMBERS);
    if (chunk_compress(data, size, &blob) == 0 &&
        chunk_decode(blob.data, blob.length, size ? data[0] : 0, &packed) == 0)
        FUZZ_CHECK(packed.n_rows <= CHUNK_ROWS_MAX);
}

/* What is stored of a layout makes the same layout again. */
static void check_stored(const struct layout *layout)
{
    AUTO(layout) struct layout *again = NULL, *shared = layout_ref((struct layout *)layout);

    FUZZ_CHECK(shared == layout && layout_is_same(layout, layout));
    FUZZ_CHECK(layout_parse(layout->bytes, layout->n_bytes, &again) == 0);
    FUZZ_CHECK(layout_is_same(layout, again));
    FUZZ_CHECK(again->n_totals == layout->n_totals && again->n_series == layout->n_series);
    for (size_t i = 0; i < layout->n_series; i++) {
        FUZZ_CHECK(layout_is_same_series(&layout->series[i], &again->series[i]));
        FUZZ_CHECK(layout_unit(&layout->series[i]) == layout_unit(&again->series[i]));
    }
}

static void try_layout(const uint8_t *data, size_t size)
{
    AUTO(layout) struct layout *layout = NULL;

    if (layout_parse(data, size, &layout) < 0)
        return;
    for (size_t i = 0; i < layout->n_series; i++)
        for (size_t j = 0; j < layout->series[i].n_totals; j++)
            FUZZ_CHECK(layout->series[i].totals[j] < layout->n_totals);
    check_stored(layout);
}

/* The layout of CPUs of these numbers: a series for each, which has its number. */
static void write_layout(const uint8_t *data, size_t size)
{
    const size_t n = size < CPUS ? size : CPUS;
    AUTO(layout) struct layout *layout = NULL;
    unsigned numbers[CPUS];

    for (size_t i = 0; i < n; i++)
        numbers[i] = data[i] * 1000U;
    FUZZ_CHECK(layout_of_cpus(numbers, n, &layout) == 0);
    FUZZ_CHECK(layout->n_totals == n && layout->n_series == n);
    for (size_t i = 0; i < n; i++) {
        const struct layout_series *const series = &layout->series[i];

        FUZZ_CHECK(series->n_totals == 1 && series->totals[0] == i);
        FUZZ_CHECK(strtoul(series->labels[0].value, NULL, 10) == numbers[i]);
        FUZZ_CHECK(layout_is_same_series(series, &layout->series[0]) == (data[i] == data[0]));
    }
    check_stored(layout);
}

/* Numbers of the bytes: totals that grow by each of them, or eight bytes each. Returns how many. */
static size_t make_numbers(const uint8_t *data, size_t size, bool is_wide,
                           uint64_t ret_numbers[NUMBERS])
{
    const size_t width = is_wide ? sizeof(uint64_t) : 1;
    const size_t n = size / width < NUMBERS ? size / width : NUMBERS;

    for (size_t i = 0; i < n; i++)
        if (is_wide)
            memcpy(&ret_numbers[i], data + i * width, width);
        else
            ret_numbers[i] = (i > 0 ? ret_numbers[i - 1] : 1000) + data[i];
    return n;
}

/* Every other number of a column, or all of them, as `stride` says. */
static void write_column(const uint64_t *numbers, size_t stride, size_t n)
{
    AUTO_TEXT struct text text = {0};
    struct code_cursor cursor = {0};
    uint64_t again[NUMBERS] = {0}, behind;

    code_append_column(&text, numbers, stride, n);
    code_append_varint(&text, n);
    cursor = (struct code_cursor){(const uint8_t *)text.data, text.length, 0};
    FUZZ_CHECK(code_read_column(&cursor, again, stride, n) == 0);
    for (size_t i = 0; i < n; i++)
        FUZZ_CHECK(again[i * stride] == numbers[i * stride]);
    FUZZ_CHECK(code_read_varint(&cursor, &behind) == 0 && behind == n);
    FUZZ_CHECK(cursor.at == text.length);
}

/* Of a chunk of three numbers whose end is missing nothing is taken. */
static void check_cut(const struct text *blob)
{
    AUTO_TEXT struct text plain = {0};

    FUZZ_CHECK(chunk_decompress(blob->data, blob->length, 1 << 20, &plain) == 0);
    for (size_t cut = 1; cut < plain.length; cut += 1 + cut / 2) {
        AUTO_TEXT struct text part = {0};
        AUTO_CHUNK_ROWS struct chunk_rows none = {0};

        FUZZ_CHECK(chunk_compress(plain.data, plain.length - cut, &part) == 0);
        FUZZ_CHECK(chunk_decode(part.data, part.length, 3, &none) < 0);
    }
}

/* Rows of these numbers, three in each; some of them are not known. */
static void write_chunk(const uint64_t *numbers, size_t n)
{
    AUTO_TEXT struct text blob = {0};
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, again = {0};
    uint64_t start_ms, end_ms;

    if (n < 3 || chunk_rows_init(&rows, n / 3, 3) < 0)
        return;
    rows.has_base = numbers[0] & 1;
    for (size_t i = 0; i < rows.n_rows; i++) {
        rows.monotonic_us[i] = numbers[i];
        rows.realtime_ms[i] = numbers[n - 1 - i];
    }
    for (size_t i = 0; i < rows.n_rows * 3; i++)
        rows.totals[i] = numbers[i] % 7 == 0 ? ROW_UNKNOWN : numbers[i];
    FUZZ_CHECK(chunk_encode(&rows, &blob) == 0);
    check_cut(&blob);
    FUZZ_CHECK(chunk_decode(blob.data, blob.length, 3, &again) == 0);
    FUZZ_CHECK(again.n_rows == rows.n_rows && again.has_base == rows.has_base);
    for (size_t i = 0; i < rows.n_rows; i++)
        FUZZ_CHECK(again.monotonic_us[i] == rows.monotonic_us[i] &&
                   again.realtime_ms[i] == rows.realtime_ms[i]);
    FUZZ_CHECK(memcmp(again.totals, rows.totals, rows.n_rows * 3 * sizeof(*rows.totals)) == 0);
    chunk_rows_span(&again, &start_ms, &end_ms);
    for (size_t i = rows.has_base && rows.n_rows > 1; i < rows.n_rows; i++)
        FUZZ_CHECK(start_ms <= rows.realtime_ms[i] && rows.realtime_ms[i] <= end_ms);
}

static void write_numbers(const uint8_t *data, size_t size, bool is_wide)
{
    uint64_t numbers[NUMBERS];
    const size_t n = make_numbers(data, size, is_wide, numbers);

    write_column(numbers, 1, n);
    write_column(numbers, 2, n / 2);
    write_chunk(numbers, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct code_cursor cursor = {data, size, 0};
    uint64_t numbers[NUMBERS];

    (void)code_read_column(&cursor, numbers, 1, NUMBERS);
    FUZZ_CHECK(cursor.at <= size);
    try_chunk(data, size);
    try_layout(data, size);
    write_layout(data, size);
    write_numbers(data, size, false);
    write_numbers(data, size, true);
    return 0;
}
