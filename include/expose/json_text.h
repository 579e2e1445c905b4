/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Pieces of JSON (RFC 8259) for texts that are written straight through, because a tree of objects
 * would take an allocation for each number. Small answers and everything that is read go through
 * jansson.
 */

#include "base/text.h"

/*
 * Appends a string in quotation marks. Bytes that are no UTF-8, which JSON cannot hold, become
 * U+FFFD. NULL becomes null.
 */
void json_append_string(struct text *text, const char *string);

/* Appends "name":"value". */
void json_append_pair(struct text *text, const char *name, const char *value);

/* The name of a column's label as JSON has it: a column has a name of its own beside a label name.
 */
const char *json_label_name(const char *label);

/* Appends a number; null if it is infinite or not a number, which JSON cannot hold. */
void json_append_double(struct text *text, double value);

/*
 * Appends a number that was measured with seven significant digits or, below 1, ten decimals;
 * null as above. It takes a twentieth of the time, which counts for thousands of numbers.
 */
void json_append_measured(struct text *text, double value);

/*
 * Appends nanoseconds as seconds, without zeros at the end: 1500000000 is 1.5. That reads back the
 * same, and is half as long for times of whole seconds.
 */
void json_append_seconds(struct text *text, uint64_t ns);
