/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The fields of /proc/PID/stat, for those who parse it. */

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
 * Finds the fields from the state up to `last`: ret_fields[STAT_STATE] is its text, which ends at a
 * space, a newline or NUL. They count from the last `)`, for the name may hold anything (proc(5)).
 * False if there are not as many.
 */
bool stat_fields_find(const char *text, enum stat_field last, const char *ret_fields[STAT_FIELDS_]);

/* A field of digits. False if it is none, or does not fit. */
bool stat_field_parse(const char *field, uint64_t *ret_value);
