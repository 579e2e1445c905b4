/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The range of time that options of the command line ask for: -d, --start, --end and --range. */

#include <argp.h>
#include <stdint.h>

#include "tool/profile/times.h"

/* What stands there; all zero before. The words are borrowed. */
struct profile_span_words {
    uint64_t duration_ns; /* 0: none is given */
    const char *start, *end, *range;
};

/* The options, for the children of a command's argp; its input is the struct. */
extern const struct argp profile_span_argp;

/* The range, when all options have been read: the last 60 seconds where none is given. What is
 * wrong is refused (command_refuse()). */
struct profile_span profile_span_take(const struct profile_span_words *words, uint64_t now_ns);

/* Refuses the value of an option for a span if its parser has returned an error: r. */
void profile_span_check(const char *option, const char *argument, const char *expected, int r);
