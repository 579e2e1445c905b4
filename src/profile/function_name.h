/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From a symbol to the name that people read. */

#include <stddef.h>

#include "base/text.h"

/*
 * Appends the name of a function whose symbol that is: without the version behind it; of C++ and
 * Rust as it stands in the source, with template arguments and without parameters.
 */
void function_name_append(struct text *text, const char *symbol, size_t n);

/* How many bytes of a symbol are its name: up to the version ("memcpy@@GLIBC_2.14"). */
size_t function_name_length(const char *symbol, size_t n);
