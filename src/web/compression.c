/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fastest level: it makes a tenth of a page of metrics, and every higher one costs several
 * times as long for a few percent of that.
 */
#include "web/compression.h"

#include <libdeflate.h>

#include "base/cleanup.h"

#define LEVEL 1

void compression_done(struct compression *compression)
{
    if (compression->compressor)
        libdeflate_free_compressor(TAKE(compression->compressor));
    text_done(&compression->scratch);
}

/* Makes room for the result. What a large text took is given back after it. */
static bool prepare(struct compression *compression, size_t size)
{
    struct text *const scratch = &compression->scratch;

    if (!compression->compressor)
        compression->compressor = libdeflate_alloc_compressor(LEVEL);
    if (!compression->compressor)
        return false;
    if (scratch->capacity / 4 > size)
        text_done(scratch);
    text_clear(scratch);
    return text_reserve(scratch, size);
}

bool compression_add(struct compression *compression, const struct text *text,
                     struct text *ret_gzip)
{
    struct text *const scratch = &compression->scratch;
    size_t n;

    if (text->length < COMPRESSION_LEAST || !prepare(compression, text->length))
        return false;
    /* There is no room for what would be longer than the text. */
    n = libdeflate_gzip_compress(compression->compressor, text->data, text->length, scratch->data,
                                 text->length);
    if (n == 0)
        return false;
    text_append(ret_gzip, scratch->data, n);
    if (text_error(ret_gzip) == 0)
        return true;
    text_done(ret_gzip);
    return false;
}
