/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Columns of JSON: an object with an array of each number of all items (expose/profile_json.h). */

#include "base/text.h"
#include "profile/tree.h"

struct profile_column {
    const char *key;
    void (*append)(struct text *text, const void *items, size_t i);
};

void profile_columns_append(struct text *text, const struct profile_column *columns,
                            size_t n_columns, const void *items, size_t n);

void profile_columns_append_functions(struct text *text,
                                      const struct profile_function_name *functions, size_t n);

void profile_column_append_kind(struct text *text, enum profile_kind kind);

/* Appends a time or a duration in seconds under this key, and a comma. */
void profile_append_time(struct text *text, const char *key, uint64_t ns);

/* "event" and "events", or without an event "cpu_seconds" of so many ns. No comma follows. */
void profile_append_value(struct text *text, const char *event, uint64_t value);

/* A place in an array; PROFILE_NO_NODE is -1. */
void profile_column_append_place(struct text *text, uint32_t place);
