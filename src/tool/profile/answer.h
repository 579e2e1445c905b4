/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Answers about profiles, as include/expose/profile_json.h describes them: heads, and columns, of
 * which each is an array of one number or text of all items. Texts are borrowed from the answer.
 */

#include <jansson.h>
#include <stddef.h>

/* What an answer says of the samples that it is about. */
struct profile_head {
    double from, to; /* seconds since 1970: the range that there is */
    double rate;     /* samples a second of a CPU; 0: several, or not told */
    double samples, cpu_seconds;
    const char
        *event; /* of a run of another event than CPU time, in the place of seconds; or NULL */
    double events;
};

struct profile_columns {
    const json_t *object;
    size_t n; /* items */
};

/* Reads the head of an answer, or of a side of a difference. 0 or -EPROTO. */
int profile_head_read(const json_t *object, struct profile_head *ret_head);

/* Finds the columns of an answer by their key, which are all of one length. 0 or -EPROTO. */
int profile_columns_read(const json_t *answer, const char *key,
                         struct profile_columns *ret_columns);

/* One item of a column. Without it the number is 0, and the text "". */
double profile_number(const struct profile_columns *columns, const char *column, size_t i);
const char *profile_word(const struct profile_columns *columns, const char *column, size_t i);

/* The place in other columns that an item tells; SIZE_MAX: none, as -1 says. */
size_t profile_place(const struct profile_columns *columns, const char *column, size_t i);
