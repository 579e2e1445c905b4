/* SPDX-License-Identifier: Apache-2.0 */
#include "history/chunk.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <zstd.h>

#include "history/column_code.h"

#define CHUNK_VERSION     1
#define COMPRESSION_LEVEL 3
#define LARGE_BYTES       ((size_t)256 * 1024)

/* Which rows of a column are known. */
enum presence { PRESENCE_ALL, PRESENCE_NONE, PRESENCE_SOME };

int chunk_rows_init(struct chunk_rows *rows, size_t n_rows, size_t n_numbers)
{
    struct chunk_rows made = {.n_rows = n_rows, .n_numbers = n_numbers};

    made.monotonic_us = calloc(n_rows + 1, sizeof(uint64_t));
    made.realtime_ms = calloc(n_rows + 1, sizeof(uint64_t));
    made.totals = calloc(n_rows * n_numbers + 1, sizeof(uint64_t));
    *rows = made;
    if (made.monotonic_us && made.realtime_ms && made.totals)
        return 0;
    chunk_rows_done(rows);
    return -ENOMEM;
}

void chunk_rows_done(struct chunk_rows *rows)
{
    free(rows->monotonic_us);
    free(rows->realtime_ms);
    free(rows->totals);
    *rows = (struct chunk_rows){0};
}

void chunk_rows_span(const struct chunk_rows *rows, uint64_t *ret_start_ms, uint64_t *ret_end_ms)
{
    const size_t first = rows->has_base && rows->n_rows > 1 ? 1 : 0;

    *ret_start_ms = *ret_end_ms = rows->realtime_ms[first];
    for (size_t i = first; i < rows->n_rows; i++) {
        if (rows->realtime_ms[i] < *ret_start_ms)
            *ret_start_ms = rows->realtime_ms[i];
        if (rows->realtime_ms[i] > *ret_end_ms)
            *ret_end_ms = rows->realtime_ms[i];
    }
}

/*
 * Contexts take some hundred kilobytes each, so they are made once. There is hardly ever more than
 * one thread here: the historian.
 */
static struct {
    pthread_mutex_t mutex;
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
} contexts = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static size_t compress_locked(void *to, size_t room, const void *bytes, size_t length)
{
    if (!contexts.compress) {
        contexts.compress = ZSTD_createCCtx();
        if (!contexts.compress)
            return (size_t)-1;
        (void)ZSTD_CCtx_setParameter(contexts.compress, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
        (void)ZSTD_CCtx_setParameter(contexts.compress, ZSTD_c_checksumFlag, 1);
    }
    return ZSTD_compress2(contexts.compress, to, room, bytes, length);
}

static size_t decompress_locked(void *to, size_t room, const void *blob, size_t length)
{
    if (!contexts.decompress)
        contexts.decompress = ZSTD_createDCtx();
    if (!contexts.decompress)
        return (size_t)-1;
    return ZSTD_decompressDCtx(contexts.decompress, to, room, blob, length);
}

int chunk_compress(const void *bytes, size_t length, struct text *blob)
{
    const size_t bound = ZSTD_compressBound(length);
    size_t n;

    if (!text_reserve(blob, bound))
        return -ENOMEM;
    (void)pthread_mutex_lock(&contexts.mutex);
    n = compress_locked(blob->data + blob->length, bound, bytes, length);
    if (length > LARGE_BYTES) { /* a context grows with what it compresses */
        (void)ZSTD_freeCCtx(contexts.compress);
        contexts.compress = NULL;
    }
    (void)pthread_mutex_unlock(&contexts.mutex);
    if (ZSTD_isError(n))
        return -ENOMEM;
    blob->length += n;
    return 0;
}

int chunk_decompress(const void *blob, size_t length, size_t most, struct text *bytes)
{
    const unsigned long long size = ZSTD_getFrameContentSize(blob, length);
    size_t n;

    if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > most)
        return -EBADMSG;
    if (!text_reserve(bytes, (size_t)size + 1))
        return -ENOMEM;
    (void)pthread_mutex_lock(&contexts.mutex);
    n = decompress_locked(bytes->data + bytes->length, (size_t)size, blob, length);
    (void)pthread_mutex_unlock(&contexts.mutex);
    if (ZSTD_isError(n) || n != size)
        return -EBADMSG;
    bytes->length += n;
    return 0;
}

static void append_presence(const struct chunk_rows *rows, size_t number, struct text *text)
{
    uint8_t bits = 0;

    for (size_t i = 0; i < rows->n_rows; i++) {
        const bool known = rows->totals[i * rows->n_numbers + number] != ROW_UNKNOWN;

        bits |= (uint8_t)(known << (i % 8));
        if (i % 8 == 7 || i + 1 == rows->n_rows) {
            text_append_char(text, (char)bits);
            bits = 0;
        }
    }
}

/* Only what is known is coded; where it stood is told before. `known` has room for a column. */
static void append_number(const struct chunk_rows *rows, size_t number, uint64_t *known,
                          struct text *text)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->n_rows; i++) {
        const uint64_t total = rows->totals[i * rows->n_numbers + number];

        if (total != ROW_UNKNOWN)
            known[n++] = total;
    }
    if (n == rows->n_rows)
        text_append_char(text, PRESENCE_ALL);
    else if (n == 0)
        text_append_char(text, PRESENCE_NONE);
    else {
        text_append_char(text, PRESENCE_SOME);
        append_presence(rows, number, text);
    }
    code_append_column(text, known, 1, n);
}

int chunk_encode(const struct chunk_rows *rows, struct text *blob)
{
    AUTO_TEXT struct text plain = {0};
    AUTO_FREE uint64_t *known = calloc(rows->n_rows + 1, sizeof(*known));

    if (!known)
        return -ENOMEM;
    text_append_char(&plain, CHUNK_VERSION);
    text_append_char(&plain, rows->has_base);
    code_append_varint(&plain, rows->n_rows);
    code_append_varint(&plain, rows->n_numbers);
    code_append_column(&plain, rows->monotonic_us, 1, rows->n_rows);
    code_append_column(&plain, rows->realtime_ms, 1, rows->n_rows);
    for (size_t i = 0; i < rows->n_numbers; i++)
        append_number(rows, i, known, &plain);
    if (text_error(&plain) < 0)
        return -ENOMEM;
    return chunk_compress(plain.data, plain.length, blob);
}

static int read_presence(struct code_cursor *cursor, size_t n_rows, const uint8_t **ret_bits,
                         size_t *ret_n)
{
    const size_t n_bytes = (n_rows + 7) / 8;
    size_t n = 0;

    if (cursor->length - cursor->at < n_bytes)
        return -EBADMSG;
    *ret_bits = cursor->bytes + cursor->at;
    for (size_t i = 0; i < n_rows; i++)
        n += ((*ret_bits)[i / 8] >> (i % 8)) & 1;
    cursor->at += n_bytes;
    *ret_n = n;
    return 0;
}

static int read_number(struct code_cursor *cursor, struct chunk_rows *rows, size_t number,
                       uint64_t *known)
{
    const uint8_t *bits = NULL;
    uint64_t presence;
    size_t n = 0, next = 0;
    int r = code_read_varint(cursor, &presence);

    if (r < 0 || presence > PRESENCE_SOME)
        return -EBADMSG;
    if (presence == PRESENCE_ALL)
        n = rows->n_rows;
    if (presence == PRESENCE_SOME)
        r = read_presence(cursor, rows->n_rows, &bits, &n);
    if (r == 0)
        r = code_read_column(cursor, known, 1, n);
    for (size_t i = 0; i < rows->n_rows && r == 0; i++) {
        const bool is_known = presence == PRESENCE_ALL || (bits && ((bits[i / 8] >> (i % 8)) & 1));

        rows->totals[i * rows->n_numbers + number] = is_known ? known[next++] : ROW_UNKNOWN;
    }
    return r;
}

static int read_rows(struct code_cursor *cursor, struct chunk_rows *rows)
{
    AUTO_FREE uint64_t *known = calloc(rows->n_rows + 1, sizeof(*known));
    int r;

    if (!known)
        return -ENOMEM;
    r = code_read_column(cursor, rows->monotonic_us, 1, rows->n_rows);
    if (r == 0)
        r = code_read_column(cursor, rows->realtime_ms, 1, rows->n_rows);
    for (size_t i = 0; i < rows->n_numbers && r == 0; i++)
        r = read_number(cursor, rows, i, known);
    return r;
}

/* How long rows can become before they are compressed. */
static size_t most_bytes(size_t n_numbers)
{
    return 64 + (n_numbers + 2) * ((size_t)CHUNK_ROWS_MAX * 12 + 32);
}

int chunk_decode(const void *blob, size_t length, size_t n_numbers, struct chunk_rows *ret_rows)
{
    AUTO_TEXT struct text plain = {0};
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};
    struct code_cursor cursor;
    uint64_t has_base, n_rows, n;
    int r = n_numbers > CHUNK_NUMBERS_MAX
                ? -EBADMSG
                : chunk_decompress(blob, length, most_bytes(n_numbers), &plain);

    if (r < 0)
        return r;
    cursor = (struct code_cursor){(const uint8_t *)plain.data, plain.length, 0};
    if (code_read_varint(&cursor, &n) < 0 || n != CHUNK_VERSION ||
        code_read_varint(&cursor, &has_base) < 0 || has_base > 1 ||
        code_read_varint(&cursor, &n_rows) < 0 || n_rows == 0 || n_rows > CHUNK_ROWS_MAX ||
        code_read_varint(&cursor, &n) < 0 || n != n_numbers)
        return -EBADMSG;
    r = chunk_rows_init(&rows, n_rows, n_numbers);
    if (r == 0)
        r = read_rows(&cursor, &rows);
    if (r < 0)
        return r;
    rows.has_base = has_base;
    *ret_rows = rows;
    rows = (struct chunk_rows){0};
    return 0;
}
