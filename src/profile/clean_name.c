/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/clean_name.h"

#include "base/utf8.h"
#include "target/clean_text.h"

void clean_name_append(struct text *text, const char *name)
{
    const size_t before = text->length;

    while (*name) {
        uint32_t code;
        const size_t n = utf8_decode(name, UTF8_LONGEST, &code);

        if (n > 0 && text_is_clean(name, n))
            text_append(text, name, n);
        else
            text_append_char(text, '?');
        name += n > 0 ? n : 1;
    }
    if (text->length == before)
        text_append_char(text, '?');
}
