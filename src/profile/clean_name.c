/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/clean_name.h"

#include <string.h>

#include "base/utf8.h"
#include "profile/object_table.h"
#include "target/clean_text.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* How many bytes the first character has, and what stands for it. */
static size_t clean_character(const char *bytes, size_t n, const char **ret_clean, size_t *ret_n)
{
    uint32_t code;
    const size_t length = utf8_decode(bytes, n, &code);

    if (length > 0 && text_is_clean(bytes, length)) {
        *ret_clean = bytes;
        *ret_n = length;
    } else {
        *ret_clean = REPLACEMENT;
        *ret_n = strlen(REPLACEMENT);
    }
    return length > 0 ? length : 1;
}

void clean_name_append(struct text *text, const char *name, size_t n)
{
    size_t room = OBJECT_NAME_MOST;

    while (n > 0) {
        const char *clean;
        size_t n_clean;
        const size_t length = clean_character(name, n, &clean, &n_clean);

        if (n_clean > room)
            return;
        text_append(text, clean, n_clean);
        room -= n_clean;
        name += length;
        n -= length;
    }
}
