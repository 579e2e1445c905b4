/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Arguments that several routes of the API take. A function that finds something wrong with one
 * says so in `text` and returns -EINVAL; each may return -ENOMEM too.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "metric/catalogue.h"
#include "metric/target_filter.h"
#include "web/query.h"

/* The most targets, and the most columns, of one request. */
#define API_NAMES_MAX 100

/* Refuses arguments that are not known, whose names end in NULL. */
int api_arguments_check(const struct query *query, const char *const *known, struct text *text);

/* The values of an argument that may stand several times. They are copies, and outlive the query.
 */
struct api_names {
    char **names;
    size_t n;
};

int api_names_read(const struct query *query, const char *argument, struct text *text,
                   struct api_names *ret_names);
void api_names_done(struct api_names *names);
#define AUTO_API_NAMES __attribute__((cleanup(api_names_done)))

/* Parses names of targets. The filters borrow the names; the caller frees them. */
int api_targets_parse(const struct api_names *names, struct text *text,
                      struct target_filter **ret_filters);

/* Refuses names of which no column of the catalogue is. */
int api_columns_check(const struct api_names *names, const struct catalogue *catalogue,
                      struct text *text);

/* A range of CLOCK_REALTIME in nanoseconds. */
struct api_range {
    uint64_t start_ns, end_ns;
};

/*
 * Reads ?start= and ?end=, in seconds since 1970. Without an end it is now, and without a start it
 * is `usual_ns` before the end.
 */
int api_range_read(const struct query *query, uint64_t usual_ns, struct text *text,
                   struct api_range *ret_range);

/*
 * Reads ?start= and ?end=, in seconds since what is asked about began; 0: not given, from the
 * beginning or to the end.
 */
int api_span_read(const struct query *query, struct text *text, struct api_range *ret_range);

/* A number that has bounds, and a value where the argument is not given. */
struct api_number {
    const char *name;
    uint64_t least, most, usual;
};

int api_number_read(const struct query *query, const struct api_number *number, struct text *text,
                    uint64_t *ret_value);

/* The number of a thing ("run"), from a path or an argument; NULL: it is not given. */
int api_id_read(const char *word, const char *thing, struct text *text, uint64_t *ret_id);
