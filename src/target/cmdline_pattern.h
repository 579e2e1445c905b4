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

/*
 * 1: it matches, and ret_captures has a piece of cmdline for each named group, an
 * empty one for a group that took no part; 0: it does not, or would cost too much to
 * tell; -ENOMEM.
 */
int cmdline_pattern_match(const struct cmdline_pattern *pattern, const char *cmdline,
                          struct text_piece *ret_captures);
