/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Allocations of our own objects, of which one can be made to fail: for a test that
 * is linked with --wrap (tests/target/tests.cmake).
 */

#include <stdbool.h>
#include <stddef.h>

static unsigned allocations, failing; /* this allocation fails, counted from 1; 0: none does */

static bool fails(void)
{
    return ++allocations == failing;
}

#define WRAP(result, name, parameters, arguments)                                                  \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        return fails() ? NULL : __real_##name arguments;                                           \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *block, size_t size), (block, size))
WRAP(void *, reallocarray, (void *block, size_t n, size_t size), (block, n, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t n), (text, n))
