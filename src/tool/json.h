/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What --json prints, over jansson. */

#include <jansson.h>
#include <stdint.h>

#include "base/cleanup.h"

static inline void cleanup_json(json_t **value)
{
    json_decref(*value);
}
#define AUTO_JSON __attribute__((cleanup(cleanup_json)))

/*
 * A new string of any text: bytes that are no UTF-8, which JSON cannot hold, become U+FFFD. NULL
 * becomes null. The result is NULL without memory, which the functions of jansson that take it over
 * turn into an error.
 */
json_t *json_of_text(const char *text);

/* A new number; null if it is infinite or not a number, which JSON cannot hold. NULL: no memory. */
json_t *json_of_double(double value);
json_t *json_of_seconds(uint64_t ns);

/*
 * Prints the value to stdout, indented, with a line feed, and gives it up. 0; -ENOMEM if the value
 * is NULL.
 */
int json_print(json_t *value);
