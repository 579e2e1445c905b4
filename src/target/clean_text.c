/* SPDX-License-Identifier: Apache-2.0 */
#include "target/clean_text.h"

#include "base/cleanup.h"
#include "base/utf8.h"

/*
 * Code points that are not seen, turn the direction of a text, or break its line: by them one label
 * would look like another.
 */
static const struct code_range {
    uint32_t first, last;
} unclean_ranges[] = {
    {0x0000, 0x001f},   /* C0 */
    {0x007f, 0x009f},   /* DEL and C1 */
    {0x00ad, 0x00ad},   /* soft hyphen */
    {0x034f, 0x034f},   /* grapheme joiner */
    {0x061c, 0x061c},   /* Arabic letter mark */
    {0x115f, 0x1160},   /* Hangul fillers */
    {0x180b, 0x180f},   /* Mongolian variation selectors, and a vowel separator */
    {0x200b, 0x200f},   /* without width; left-to-right and right-to-left marks */
    {0x2028, 0x202e},   /* separators of lines and paragraphs; embeddings and overrides */
    {0x2060, 0x2069},   /* without width, invisible operators; isolates */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xfdd0, 0xfdef},   /* noncharacters */
    {0xfe00, 0xfe0f},   /* variation selectors */
    {0xfeff, 0xfeff},   /* byte order mark, without width */
    {0xffa0, 0xffa0},   /* Hangul filler of half width */
    {0xfff9, 0xfffb},   /* of annotations between lines */
    {0xe0000, 0xe0fff}, /* tags, more variation selectors */
};

static bool code_is_clean(uint32_t code)
{
    for (size_t i = 0; i < ARRAY_SIZE(unclean_ranges); i++)
        if (code >= unclean_ranges[i].first && code <= unclean_ranges[i].last)
            return false;
    return (code & 0xfffe) != 0xfffe;
}

bool text_is_clean(const char *bytes, size_t n)
{
    uint32_t code;

    for (size_t length; n > 0; bytes += length, n -= length) {
        length = utf8_decode(bytes, n, &code);
        if (length == 0 || !code_is_clean(code))
            return false;
    }
    return true;
}
