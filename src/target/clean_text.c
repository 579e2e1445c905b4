/* SPDX-License-Identifier: Apache-2.0 */
#include "target/clean_text.h"

#include "base/cleanup.h"
#include "base/utf8.h"

/* Code points that would make one label look like another, or break the line that it is in. */
static const struct code_range {
    uint32_t first, last;
} unclean_ranges[] = {
    {0x0000, 0x001f}, /* C0 */
    {0x007f, 0x009f}, /* DEL and C1 */
    {0x061c, 0x061c}, /* Arabic letter mark */
    {0x200e, 0x200f}, /* left-to-right and right-to-left marks */
    {0x2028, 0x202e}, /* separators of lines and paragraphs; embeddings and overrides */
    {0x2066, 0x2069}, /* isolates */
    {0xfdd0, 0xfdef}, /* noncharacters */
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
