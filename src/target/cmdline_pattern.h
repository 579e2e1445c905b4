/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A regular expression (PCRE2) for the arguments of a process, which are bytes that a stranger
 * chooses. `.` does not match a newline, and `$` matches only the very end, as in the patterns of
 * process-exporter.
 */

#include "target/process_rules.h"
#include "target/process_template.h"

struct cmdline_pattern;

/* Compiles a pattern. 0; -EINVAL, with offset and message of *ret_error set; -ENOMEM. */
int cmdline_pattern_new(const char *regex, struct cmdline_pattern **ret_pattern,
                        struct process_rule_error *ret_error);
struct cmdline_pattern *cmdline_pattern_free(struct cmdline_pattern *pattern);
DEFINE_AUTO(cmdline_pattern, struct cmdline_pattern *, cmdline_pattern_free)

/* The named groups of the pattern, in the order in which cmdline_pattern_match() sets them. */
size_t cmdline_pattern_n_captures(const struct cmdline_pattern *pattern);
const char *cmdline_pattern_capture(const struct cmdline_pattern *pattern, size_t index);

enum cmdline_verdict {
    CMDLINE_UNKNOWN, /* the pattern was not matched with these arguments yet */
    CMDLINE_DIFFERS,
    CMDLINE_MATCHES,
    CMDLINE_TOO_COSTLY, /* the matcher gave up, since it would take too long */
};

/*
 * Matches the pattern with a command line. Returns a verdict, which is never CMDLINE_UNKNOWN and
 * always the same for the same bytes; or -ENOMEM. If the pattern matches, ret_captures has a piece
 * of cmdline for each named group; it is empty for a group that took no part. The steps that were
 * taken are added to *work.
 */
int cmdline_pattern_match(const struct cmdline_pattern *pattern, const char *cmdline, size_t *work,
                          struct text_piece *ret_captures);
