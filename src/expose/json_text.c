/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/json_text.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD, for a byte that is not UTF-8 */

static bool has_to_be_escaped(unsigned char c)
{
    return c < ' ' || c == '"' || c == '\\';
}

static void append_escaped(struct text *text, unsigned char c)
{
    if (c == '\n')
        text_append_string(text, "\\n");
    else if (c < ' ')
        text_append_format(text, "\\u%04x", c);
    else {
        text_append_char(text, '\\');
        text_append_char(text, (char)c);
    }
}

/* Returns how many bytes at the beginning are ASCII that stands for itself. */
static size_t plain_length(const char *string)
{
    size_t n = 0;

    while (string[n] > 0 && !has_to_be_escaped((unsigned char)string[n]))
        n++;
    return n;
}

void json_append_string(struct text *text, const char *string)
{
    if (!string) {
        text_append_string(text, "null");
        return;
    }
    text_append_char(text, '"');
    while (*string) {
        size_t length = plain_length(string);
        uint32_t code;

        if (length > 0) {
            text_append(text, string, length);
        } else if (has_to_be_escaped((unsigned char)*string)) {
            append_escaped(text, (unsigned char)*string);
            length = 1;
        } else {
            length = utf8_decode(string, UTF8_LONGEST, &code);
            text_append(text, length ? string : REPLACED, length ? length : strlen(REPLACED));
            length += !length;
        }
        string += length;
    }
    text_append_char(text, '"');
}

void json_append_pair(struct text *text, const char *name, const char *value)
{
    json_append_string(text, name);
    text_append_char(text, ':');
    json_append_string(text, value);
}

const char *json_label_name(const char *label)
{
    return strcmp(label, "name") == 0 ? "tracepoint" : label;
}

void json_append_double(struct text *text, double value)
{
    if (isfinite(value))
        text_append_double(text, value);
    else
        text_append_string(text, "null");
}

/* With how many decimals numbers from `least` on are written: with seven digits or a few more. */
static const struct precision {
    double least;
    uint64_t power; /* ten to the power of the decimals */
    unsigned decimals;
} precisions[] = {
    {1e6, UINT64_C(1), 0},     {1e5, UINT64_C(10), 1},         {1e4, UINT64_C(100), 2},
    {1e3, UINT64_C(1000), 3},  {100, UINT64_C(10000), 4},      {10, UINT64_C(100000), 5},
    {1, UINT64_C(1000000), 6}, {0, UINT64_C(10000000000), 10},
};

/* Appends a fraction, which is not 0, of so many decimals, without zeros at its end. */
static void append_fraction(struct text *text, uint64_t fraction, unsigned decimals)
{
    char digits[16];

    for (; fraction % 10 == 0; fraction /= 10)
        decimals--;
    for (unsigned i = decimals; i > 0; i--, fraction /= 10)
        digits[i - 1] = (char)('0' + fraction % 10);
    text_append_char(text, '.');
    text_append(text, digits, decimals);
}

void json_append_measured(struct text *text, double value)
{
    const struct precision *precision = precisions;
    uint64_t scaled;

    /* Tiny and huge numbers are rare, and keep their digits. */
    if (!(value >= 1e-6 && value < 1e15) && value != 0) {
        json_append_double(text, value);
        return;
    }
    while (value < precision->least)
        precision++;
    scaled = (uint64_t)(value * (double)precision->power + 0.5);
    text_append_u64(text, scaled / precision->power);
    if (scaled % precision->power > 0)
        append_fraction(text, scaled % precision->power, precision->decimals);
}

void json_append_seconds(struct text *text, uint64_t ns)
{
    text_append_seconds(text, ns);
    if (text->failed)
        return;
    while (text->data[text->length - 1] == '0')
        text->length--;
    text->length -= text->data[text->length - 1] == '.';
}
