/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A regular expression (PCRE2) over the arguments of a process, which are bytes of
 * a stranger's choice. `.` does not match a newline and `$` only the very end, as
 * in the patterns of process-exporter.
 */

#include "target/process_rules.h"
#include "target/process_template.h"

struct cmdline_pattern;

/* 0; -EINVAL with offset and message of *ret_error filled; -ENOMEM. */
int cmdline_pattern_new(const char *regex, struct cmdline_pattern **ret_pattern,
                        struct process_rule_error *ret_error);
struct cmdline_pattern *cmdline_pattern_free(struct cmdline_pattern *pattern);
DEFINE_AUTO(cmdline_pattern, struct cmdline_pattern *, cmdline_pattern_free)

/* Its named groups, in the order in which cmdline_pattern_match() fills them. */
size_t cmdline_pattern_n_captures(const struct cmdline_pattern *pattern);
const char *cmdline_pattern_capture(const struct cmdline_pattern *pattern, size_t index);

enum cmdline_verdict {
    CMDLINE_UNKNOWN,
    CMDLINE_DIFFERS,
    CMDLINE_MATCHES,
    CMDLINE_TOO_COSTLY, /* to tell */
};

/*
 * Where it matches, ret_captures has a piece of cmdline for each named group, an empty one for a
 * group that took no part. *work: the steps that were taken are added. A verdict, never unknown and
 * always the same for the same bytes; -ENOMEM.
 */
int cmdline_pattern_match(const struct cmdline_pattern *pattern, const char *cmdline, size_t *work,
                          struct text_piece *ret_captures);
