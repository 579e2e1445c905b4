/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ranges of time as `pmutool profile` is told them. All are in nanoseconds since 1970. */

#include <stdbool.h>
#include <stdint.h>

struct profile_span {
    uint64_t start_ns, end_ns;
};

/* How a time is written, for people. */
#define PROFILE_TIME_EXPECTED                                                                      \
    "2026-01-31 12:00:00 or the last 12:00 (local; UTC with a Z), seconds since 1970, a duration " \
    "ago such as 30m, or now"

/* What stands between the two times of a span. */
#define PROFILE_BETWEEN ".."

/* Parses one, as above. 0 or -EINVAL. */
int profile_time_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns);

/* Parses START..END, each a time. 0; -EINVAL; -ERANGE: it does not begin before it ends. */
int profile_span_parse(const char *text, uint64_t now_ns, struct profile_span *ret_span);

/*
 * Parses with what a span is compared: "previous" (as long, and right before it), "hour", "day",
 * "week" or a duration (as long, that long ago), or START..END. Returns what profile_span_parse()
 * does.
 */
int profile_before_parse(const char *text, uint64_t now_ns, const struct profile_span *after,
                         struct profile_span *ret_before);

/* The span that is as long, and ends at this time. */
struct profile_span profile_span_ending(const struct profile_span *span, uint64_t end_ns);

/* Whether they have a time in common; that one ends where the other begins is none. */
bool profile_spans_overlap(const struct profile_span *a, const struct profile_span *b);
