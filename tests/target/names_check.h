/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What tests of names ask. To be included after cmocka.h. */

#include <stdlib.h>
#include <string.h>

#include "target/names.h"

static inline void assert_name(const struct names *names, enum name_kind kind, const char *wanted)
{
    assert_non_null(names->values[kind]);
    assert_string_equal(names->values[kind], wanted);
}

/* Exactly so many are known. */
static inline void assert_n_names(const struct names *names, size_t wanted)
{
    struct label labels[NAMES_];

    assert_int_equal(names_to_labels(names, labels), wanted);
}

/* A text of n times the same one; the caller frees it. */
static inline char *repeated(const char *text, size_t n)
{
    const size_t length = strlen(text);
    char *all = malloc(n * length + 1);

    assert_non_null(all);
    for (size_t i = 0; i < n; i++)
        memcpy(all + i * length, text, length);
    all[n * length] = '\0';
    return all;
}
