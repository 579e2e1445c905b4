/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_path.h"

#include <errno.h>
#include <stdint.h>

#include "target/clean_text.h"

/* Between what is left of a label that was too long and the hash of its path. */
#define CUT_MARK    "\xe2\x80\xa6" /* … */
#define HASH_DIGITS 16
#define CUT_SUFFIX  (sizeof(CUT_MARK) - 1 + HASH_DIGITS)

static const char upper_digits[] = "0123456789ABCDEF";
static const char lower_digits[] = "0123456789abcdef";

static uint64_t hash_bytes(const char *bytes, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

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

/* How long the encoded form of the bytes is, without the `%` before it. */
static size_t encoded_length(const char *bytes, size_t n)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++)
        length += stands_for_itself(bytes[i]) ? 1 : 3;
    return length;
}

static void append_cut(struct text *text, const char *path, size_t n)
{
    uint64_t hash = hash_bytes(path, n);
    size_t room = CGROUP_LABEL_MAX - CUT_SUFFIX - 1;

    text_append_char(text, '%');
    for (size_t length; (length = encoded_length(path, 1)) <= room; room -= length)
        append_encoded_byte(text, *path++);
    text_append_string(text, CUT_MARK);
    for (int shift = 60; shift >= 0; shift -= 4)
        text_append_char(text, lower_digits[hash >> shift & 15]);
}

void cgroup_path_append_label(struct text *text, const char *path)
{
    size_t n = strlen(path);
    bool clean = text_is_clean(path, n);

    if (clean && n <= CGROUP_LABEL_MAX) {
        text_append(text, path, n);
        return;
    }
    if (clean || 1 + encoded_length(path, n) > CGROUP_LABEL_MAX) {
        append_cut(text, path, n);
        return;
    }
    text_append_char(text, '%');
    for (size_t i = 0; i < n; i++)
        append_encoded_byte(text, path[i]);
}

bool cgroup_label_is_cut(const char *label)
{
    size_t n = strlen(label);
    const char *suffix;

    if (label[0] != '%' || n < 2 + CUT_SUFFIX)
        return false;
    suffix = label + n - CUT_SUFFIX;
    return memcmp(suffix, CUT_MARK, sizeof(CUT_MARK) - 1) == 0 &&
           strspn(suffix + sizeof(CUT_MARK) - 1, lower_digits) == HASH_DIGITS;
}

static int digit_value(char digit)
{
    const char *at = digit ? strchr(upper_digits, digit) : NULL;

    return at ? (int)(at - upper_digits) : -1;
}

/* Takes one byte of the encoded form; false where it has no such form. */
static bool take_encoded_byte(const char **label, char *ret_byte)
{
    int high, low;

    if (**label != '%') {
        *ret_byte = *(*label)++;
        return true;
    }
    high = digit_value((*label)[1]);
    low = high < 0 ? -1 : digit_value((*label)[2]);
    if (low < 0 || high * 16 + low == 0)
        return false;
    *ret_byte = (char)(high * 16 + low);
    *label += 3;
    return true;
}

static int decode(const char *label, struct text *path)
{
    char byte;

    if (*label == '%')
        for (label++; *label; text_append_char(path, byte))
            if (!take_encoded_byte(&label, &byte))
                return -EINVAL;
    text_append_string(path, label);
    return text_error(path);
}

int cgroup_path_from_label(const char *label, char **ret_path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;
    AUTO_FREE char *again = NULL;
    int r;

    if (cgroup_label_is_cut(label))
        return -ENAMETOOLONG;
    r = decode(label, &text);
    if (r < 0)
        return r;
    path = text_take(&text);
    if (!path)
        return -ENOMEM;
    /* one path, one label: what does not come out again is no label */
    cgroup_path_append_label(&text, path);
    again = text_take(&text);
    if (!again)
        return -ENOMEM;
    if (path[0] != '/' || strcmp(again, label) != 0)
        return -EINVAL;
    *ret_path = TAKE(path);
    return 0;
}
