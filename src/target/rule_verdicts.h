/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the patterns of all rules have said of one process' arguments. Bytes of a
 * stranger's choice may take a pattern long to go through, so it does that once: whoever
 * only changes its name has the same arguments still.
 */

#include "base/keyed_hash.h"
#include "target/cmdline_pattern.h"

struct rule_verdicts;

/*
 * Makes them be of these arguments: all are unknown where they were of others. Allocates for so
 * many patterns with so many captures in all, which must be the same each time. 0 or -ENOMEM.
 */
int rule_verdicts_begin(struct rule_verdicts **verdicts, const struct hash_key *key,
                        const char *cmdline, size_t n_patterns, size_t n_captures);

enum cmdline_verdict rule_verdicts_get(const struct rule_verdicts *verdicts, size_t pattern);

/* captures: pieces of cmdline; those that a pattern that matches gave, from `first` on. */
void rule_verdicts_set(struct rule_verdicts *verdicts, size_t pattern, enum cmdline_verdict verdict,
                       const char *cmdline, const struct text_piece *captures, size_t first,
                       size_t n);
void rule_verdicts_captures(const struct rule_verdicts *verdicts, const char *cmdline, size_t first,
                            size_t n, struct text_piece *ret_captures);
