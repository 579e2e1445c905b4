/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What stands above each table and tree of a profile, and what bounds their length. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "tool/profile/answer.h"
#include "tool/profile/options.h"
#include "tool/terminal.h"

/* Shares of fewer samples say little. */
#define PROFILE_COARSE 100

/* Appends "cgroup:/a, 2026-11-25 15:02:10 to 15:03:10 (60 s)". */
void profile_append_range(struct text *text, const char *target, const struct profile_head *head);

/* Appends two lines: the range, and how much was sampled there; a third one where that is little.
 * not_whole: stacks whose beginning is not known. */
void profile_append_head(struct text *text, const char *target, const struct profile_head *head,
                         double not_whole);

/* Says that there are so few samples, PROFILE_COARSE, that shares say little. */
void profile_append_coarse(struct text *text, const struct profile_head *head);

/* How many lines there may be below `used` others; SIZE_MAX: any number. */
size_t profile_lines(const struct profile_options *options, const struct terminal *terminal,
                     size_t used);

/* Says that there would be more of a thing, as "function", if any were left out: "(12 more
 * functions, -n shows them)". */
void profile_append_more(struct text *text, size_t left_out, const char *thing);

/* Whether it is a note that stands in the place of the functions that are not known. */
bool profile_is_end_note(const char *kind, const char *name);
