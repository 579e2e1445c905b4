/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever stands in a database: a layout, a chunk, a column, or a refusal, and no bad memory. */

#include <errno.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "history/chunk.h"
#include "history/column_code.h"
#include "history/layout.h"

#define NUMBERS 100

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

static void try_layout(const uint8_t *data, size_t size)
{
    AUTO(layout) struct layout *layout = NULL;

    if (layout_parse(data, size, &layout) < 0)
        return;
    for (size_t i = 0; i < layout->n_series; i++)
        for (size_t j = 0; j < layout->series[i].n_totals; j++)
            FUZZ_CHECK(layout->series[i].totals[j] < layout->n_totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct code_cursor cursor = {data, size, 0};
    uint64_t numbers[NUMBERS];

    (void)code_read_column(&cursor, numbers, 1, NUMBERS);
    FUZZ_CHECK(cursor.at <= size);
    try_chunk(data, size);
    try_layout(data, size);
    return 0;
}
