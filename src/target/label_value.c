/* SPDX-License-Identifier: Apache-2.0 */
#include "target/label_value.h"

#include <stdint.h>

#include "base/fnv.h"

/* Stands between the beginning of a name that was too long and the hash of the name. */
#define CUT_MARK    "\xe2\x80\xa6" /* … */
#define HASH_DIGITS 16
#define CUT_SUFFIX  (sizeof(CUT_MARK) - 1 + HASH_DIGITS)

static const char upper_digits[] = "0123456789ABCDEF";
static const char lower_digits[] = "0123456789abcdef";

static bool stands_for_itself(char byte)
{
    return byte >= ' ' && byte <= '~' && byte != '%';
}

static void append_encoded_byte(struct text *text, char byte)
{
    unsigned char value = (unsigned char)byte;

    if (stands_for_itself(byte)) {
        text_append_char(text, byte);
        return;
    }
    text_append_char(text, '%');
    text_append_char(text, upper_digits[value >> 4]);
    text_append_char(text, upper_digits[value & 15]);
}

/* The length of the encoded form of the bytes, without the mark before it. */
static size_t encoded_length(const char *bytes, size_t n)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++)
        length += stands_for_itself(bytes[i]) ? 1 : 3;
    return length;
}

/* Appends the mark, as much of the encoded name as there is room for, and the hash. */
static void append_cut(struct text *text, const char *name, size_t n, const char *mark)
{
    uint64_t hash = fnv1a(name, n);
    size_t room = LABEL_VALUE_MAX - CUT_SUFFIX - strlen(mark);

    text_append_string(text, mark);
    for (size_t length; (length = encoded_length(name, 1)) <= room; room -= length)
        append_encoded_byte(text, *name++);
    text_append_string(text, CUT_MARK);
    for (int shift = 60; shift >= 0; shift -= 4)
        text_append_char(text, lower_digits[hash >> shift & 15]);
}

void label_value_append(struct text *text, const char *name, size_t n, bool as_it_is,
                        const char *mark)
{
    if (as_it_is && n <= LABEL_VALUE_MAX) {
        text_append(text, name, n);
        return;
    }
    if (n > LABEL_VALUE_MAX || strlen(mark) + encoded_length(name, n) > LABEL_VALUE_MAX) {
        append_cut(text, name, n, mark);
        return;
    }
    text_append_string(text, mark);
    for (size_t i = 0; i < n; i++)
        append_encoded_byte(text, name[i]);
}

bool label_value_is_cut(const char *value, const char *mark)
{
    size_t n = strlen(value), n_mark = strlen(mark);
    const char *suffix;

    if (strncmp(value, mark, n_mark) != 0 || n < n_mark + 1 + CUT_SUFFIX)
        return false;
    suffix = value + n - CUT_SUFFIX;
    return memcmp(suffix, CUT_MARK, sizeof(CUT_MARK) - 1) == 0 &&
           strspn(suffix + sizeof(CUT_MARK) - 1, lower_digits) == HASH_DIGITS;
}
