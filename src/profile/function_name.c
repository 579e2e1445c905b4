/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libiberty bounds how deep it goes, and works in the memory and time of the worker. The parameters
 * are left out: of one function they are the same in every frame, and they are most of the bytes of
 * C++ names.
 */
#include "profile/function_name.h"

#include <libiberty/demangle.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/utf8.h"
#include "profile/object_table.h"
#include "target/clean_text.h"

#define REPLACEMENT "\xef\xbf\xbd"

size_t function_name_length(const char *symbol, size_t n)
{
    const char *version = n > 1 ? memchr(symbol + 1, '@', n - 1) : NULL;

    return version ? (size_t)(version - symbol) : n;
}

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

void function_name_append_clean(struct text *text, const char *name, size_t n)
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

/* The name in the source. NULL: the symbol is that name itself. */
static char *demangle(const char *symbol, size_t n)
{
    AUTO_FREE char *copy = NULL;

    if (n < 3 || symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
        return NULL;
    copy = strndup(symbol, n);
    return copy ? cplus_demangle(copy, DMGL_AUTO) : NULL;
}

void function_name_append(struct text *text, const char *symbol, size_t n)
{
    const size_t length = function_name_length(symbol, n);
    AUTO_FREE char *name = demangle(symbol, length);

    if (name)
        function_name_append_clean(text, name, strlen(name));
    else
        function_name_append_clean(text, symbol, length);
}
