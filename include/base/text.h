/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A growing buffer of bytes. It remembers the first failed allocation and then
 * ignores what is appended, so that a writer asks once, at the end:
 *
 *     struct text out = {0};
 *     text_append_string(&out, "cpu");
 *     r = text_error(&out);
 *
 * `data` is not terminated by NUL; text_take() makes a C string of it. A buffer
 * belongs to one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"

struct text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

/* Frees the bytes and leaves an empty buffer. */
void text_done(struct text *text);

/* Empties the buffer, keeps its memory, forgets a failure. */
void text_clear(struct text *text);

/* Returns 0, or -ENOMEM if anything that was appended is missing. */
int text_error(const struct text *text);

/*
 * Hands the content over as a C string that the caller frees, and leaves an
 * empty buffer. Returns NULL if memory ran out, now or before.
 */
char *text_take(struct text *text);

/*
 * Makes room for `more` bytes. Returns false if there is no memory; the buffer has failed then.
 * text_reserve() is the same and inline, since it runs for each series of each scrape.
 */
bool text_grow(struct text *text, size_t more);

static inline bool text_reserve(struct text *text, size_t more)
{
    return text->capacity - text->length >= more || text_grow(text, more);
}

static inline void text_append(struct text *text, const char *bytes, size_t n)
{
    if (n == 0 || !text_reserve(text, n))
        return;
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
}

static inline void text_append_char(struct text *text, char c)
{
    text_append(text, &c, 1);
}

void text_append_string(struct text *text, const char *string);
void text_append_format(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends the decimal digits of a number. */
void text_append_u64(struct text *text, uint64_t value);

/* Appends nanoseconds as seconds with nine decimals, exactly: 1500000000 is "1.500000000". */
void text_append_seconds(struct text *text, uint64_t ns);

/*
 * Appends the shortest decimal that strtod() reads back as the same value. Infinities
 * and NaN are written as Prometheus reads them: +Inf, -Inf, NaN.
 */
void text_append_double(struct text *text, double value);

static inline void cleanup_text(struct text *text)
{
    text_done(text);
}
#define AUTO_TEXT __attribute__((cleanup(cleanup_text)))
