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
#include "profile/clean_name.h"

size_t function_name_length(const char *symbol, size_t n)
{
    const char *version = n > 1 ? memchr(symbol + 1, '@', n - 1) : NULL;

    return version ? (size_t)(version - symbol) : n;
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
        clean_name_append(text, name, strlen(name));
    else
        clean_name_append(text, symbol, length);
}
