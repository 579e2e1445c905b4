/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Finds the fields of /proc/PID/stat. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields by their number in proc(5). */
enum stat_field {
    STAT_STATE = 3,
    STAT_PARENT = 4,
    STAT_FLAGS = 9,
    STAT_THREADS = 20,
    STAT_START = 22,
    STAT_VIRTUAL_BYTES = 23,
    STAT_RESIDENT_PAGES = 24,
    STAT_FIELDS_, /* one more than the last that anybody wants */
};

/*
 * Finds the fields from the state up to `last`. ret_fields[STAT_STATE] points to the text of the
 * state, which ends at a space, a newline or NUL. Fields are counted from the last `)`, since the
 * name before may hold anything (proc(5)). False: there are not so many fields.
 */
bool stat_fields_find(const char *text, enum stat_field last, const char *ret_fields[STAT_FIELDS_]);

/* Parses a field of digits. False: it is none, or too large. */
bool stat_field_parse(const char *field, uint64_t *ret_value);
