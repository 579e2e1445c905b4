/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where functions begin and end, by all that a file tells. */

#include "profile/code_ranges.h"
#include "profile/object_file.h"

/* Adds the functions of .symtab, or of .dynsym if there is none. 0 or -ENOMEM. */
int function_starts_symbols(const struct object_file *file, struct code_ranges *symbols);

/*
 * Adds the place that signal handlers return to, which AArch64 can be told by its name only. 0 or
 * -ENOMEM.
 */
int function_starts_signal(const struct object_file *file, struct code_ranges *functions);

struct function_starts {
    uint32_t *starts; /* as those of a table */
    size_t n;
};

/*
 * Makes the starts: of the PLT; of `functions`, which are settled and outside of it; of `symbols`
 * outside of both. OBJECT_READ; OBJECT_TOO_LARGE; -ENOMEM.
 */
int function_starts_make(const struct object_file *file, const struct code_ranges *functions,
                         struct code_ranges *symbols, struct function_starts *ret_starts);
void function_starts_done(struct function_starts *starts);

#define AUTO_FUNCTION_STARTS __attribute__((cleanup(function_starts_done)))
