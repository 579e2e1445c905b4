/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The fields of a tracepoint, as its file `format` in tracefs lists them, and conditions over them.
 * The texts are the kernel's and the user's; both may hold anything.
 */

#include "base/text.h"
#include "event/resolver.h"

/*
 * Appends the names of the fields, with ", " between them. Those that every tracepoint has
 * ("common_pid") are not among them.
 */
void tracepoint_append_fields(const char *format, struct text *fields);

/*
 * Finds where records have the field of this name, if it is a number: of 1, 2, 4 or 8 bytes, and no
 * array and no reference to a text (__data_loc). Fields that every tracepoint has are not found.
 */
bool tracepoint_find_field(const char *format, const char *name, struct event_field *ret_field);

/* Appends that these fields have no number of this name, with the nearest that is there. */
void tracepoint_append_missing(const char *fields, const char *name, struct text *fault);

/*
 * What is wrong with a filter over these fields, for people: a field that is not there, with the
 * nearest that is. The kernel may refuse a filter for other reasons, too. Nothing is appended if
 * nothing is found.
 */
void tracepoint_append_fault(const char *fields, const char *filter, struct text *fault);
