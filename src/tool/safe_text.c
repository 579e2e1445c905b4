/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/safe_text.h"

#include <wchar.h>

#include "base/utf8.h"

/* Appends the character of this code if it may be shown as it is. */
static bool append_shown(struct text *text, const char *bytes, size_t n, uint32_t code)
{
    if (wcwidth((wchar_t)code) < 1)
        return false;
    text_append(text, bytes, n);
    return true;
}

void safe_text_append(struct text *text, const char *bytes, size_t n)
{
    while (n > 0) {
        uint32_t code = 0;
        const size_t length = utf8_decode(bytes, n, &code);

        if (length == 0)
            text_append_format(text, "\\x%02x", (unsigned char)*bytes);
        else if (!append_shown(text, bytes, length, code))
            text_append_format(text,
                               code < 0x80      ? "\\x%02x"
                               : code < 0x10000 ? "\\u%04x"
                                                : "\\U%08x",
                               code);
        bytes += length ? length : 1;
        n -= length ? length : 1;
    }
}

/* Returns the bytes of the first character of a safe text, and its columns. */
static size_t first_character(const char *safe, size_t n, size_t *ret_columns)
{
    uint32_t code = ' ';
    const size_t length = utf8_decode(safe, n, &code);
    const int columns = wcwidth((wchar_t)code);

    *ret_columns = columns > 0 ? (size_t)columns : 1;
    return length ? length : 1;
}

size_t safe_text_width(const char *safe, size_t n)
{
    size_t width = 0;

    for (size_t i = 0, columns; i < n; width += columns)
        i += first_character(safe + i, n - i, &columns);
    return width;
}

/* Returns how many bytes from the beginning fit into these columns. */
static size_t bytes_within(const char *safe, size_t n, size_t width, size_t *ret_columns)
{
    size_t i = 0, used = 0;

    while (i < n) {
        size_t columns;
        const size_t length = first_character(safe + i, n - i, &columns);

        if (used + columns > width)
            break;
        used += columns;
        i += length;
    }
    *ret_columns = used;
    return i;
}

size_t safe_text_append_start(struct text *text, const char *safe, size_t n, size_t width)
{
    size_t columns;

    text_append(text, safe, bytes_within(safe, n, width, &columns));
    return columns;
}

size_t safe_text_append_cut(struct text *text, const char *safe, size_t n, size_t width,
                            const char *mark)
{
    const size_t whole = safe_text_width(safe, n);
    size_t head, tail, before, skipped;

    if (width == 0)
        return 0;
    if (whole <= width) {
        text_append(text, safe, n);
        return whole;
    }
    /* The end of a path says more than its beginning, so it has two thirds of the room. */
    head = bytes_within(safe, n, (width - 1) / 3, &before);
    tail = bytes_within(safe, n, whole - (width - 1 - before), &skipped);
    while (whole - skipped > width - 1 - before) { /* A wide character stands on the edge. */
        size_t columns;

        tail += first_character(safe + tail, n - tail, &columns);
        skipped += columns;
    }
    text_append(text, safe, head);
    text_append_string(text, mark);
    text_append(text, safe + tail, n - tail);
    return before + 1 + (whole - skipped);
}
