/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What holds for names, whatever they were made of. */

#include <string.h>

#include "fuzz/fuzz.h"
#include "target/clean_text.h"
#include "target/names.h"

#define LONGEST_NAME 1024 /* of the encoded form */

/* Each is a clean label of bounded length, and none is empty. */
static inline void fuzz_check_names(const struct names *names)
{
    for (size_t i = 0; i < NAMES_; i++) {
        const char *value = names->values[i];
        const size_t n = value ? strlen(value) : 1;

        FUZZ_CHECK(n > 0 && n <= LONGEST_NAME);
        FUZZ_CHECK(!value || text_is_clean(value, n));
    }
    FUZZ_CHECK(!names->failed);
}
