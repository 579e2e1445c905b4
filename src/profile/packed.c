/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/packed.h"

#include <string.h>

#include "profile/clean_name.h"

void packed_put_string(struct text *bytes, const char *string)
{
    const size_t n = strlen(string);

    varint_put(bytes, n);
    text_append(bytes, string, n);
}

uint64_t packed_take(struct varint_reader *reader, uint64_t least, uint64_t most)
{
    const uint64_t number = varint_take(reader);

    if (number < least || number > most)
        reader->is_bad = true;
    return reader->is_bad ? 0 : number;
}

size_t packed_take_count(struct varint_reader *reader)
{
    const uint64_t n = varint_take(reader);

    if (n > (uint64_t)(reader->end - reader->at))
        reader->is_bad = true;
    return reader->is_bad ? 0 : (size_t)n;
}

const char *packed_take_bytes(struct varint_reader *reader, size_t *ret_n)
{
    const char *bytes;

    *ret_n = packed_take_count(reader);
    bytes = (const char *)reader->at;
    reader->at += *ret_n;
    return bytes;
}

char *packed_take_name(struct varint_reader *reader)
{
    struct text name = {0};
    size_t n;
    const char *bytes = packed_take_bytes(reader, &n);

    clean_name_append(&name, bytes, n);
    return text_take(&name);
}
