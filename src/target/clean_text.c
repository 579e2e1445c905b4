/* SPDX-License-Identifier: Apache-2.0 */
#include "target/clean_text.h"

#include <stdint.h>

#include "base/cleanup.h"

/* Code points that would let one label look like another, or break the line it is in. */
static const struct code_range {
    uint32_t first, last;
} unclean_ranges[] = {
    {0x0000, 0x001f}, /* C0 */
    {0x007f, 0x009f}, /* DEL and C1 */
    {0x061c, 0x061c}, /* Arabic letter mark */
    {0x200e, 0x200f}, /* left-to-right and right-to-left marks */
    {0x2028, 0x202e}, /* separators of lines and paragraphs; embeddings and overrides */
    {0x2066, 0x2069}, /* isolates */
    {0xd800, 0xdfff}, /* surrogates */
    {0xfdd0, 0xfdef}, /* noncharacters */
};

static bool code_is_clean(uint32_t code)
{
    for (size_t i = 0; i < ARRAY_SIZE(unclean_ranges); i++)
        if (code >= unclean_ranges[i].first && code <= unclean_ranges[i].last)
            return false;
    return code <= 0x10ffff && (code & 0xfffe) != 0xfffe;
}

/* The number of bytes of the sequence that begins with this one; 0: none does. */
static size_t sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* Decodes one sequence of `length` bytes; false where it is none, or not the shortest. */
static bool decode(const unsigned char *bytes, size_t length, uint32_t *ret_code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0x7fU >> length);

    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return false;
        code = code << 6 | (bytes[i] & 0x3fU);
    }
    *ret_code = code;
    return code >= smallest[length];
}

bool text_is_clean(const char *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;

    while (n > 0) {
        size_t length = sequence_length(*at);
        uint32_t code;

        if (length == 0 || length > n || !decode(at, length, &code) || !code_is_clean(code))
            return false;
        at += length;
        n -= length;
    }
    return true;
}
