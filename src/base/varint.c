/* SPDX-License-Identifier: Apache-2.0 */
#include "base/varint.h"

void varint_put(struct text *bytes, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        text_append_char(bytes, (char)(number | 0x80));
    text_append_char(bytes, (char)number);
}

uint64_t varint_take(struct varint_reader *reader)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        const unsigned char byte = *reader->at++;

        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    reader->is_bad = true;
    return 0;
}
