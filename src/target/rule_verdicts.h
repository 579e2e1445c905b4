/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Keeps what the patterns of all rules have said of one process' arguments. A stranger chooses the
 * arguments, and can choose some that a pattern takes long to go through. So each pattern does that
 * once: a process that only changes its name has the same arguments as before.
 */

#include "base/keyed_hash.h"
#include "target/cmdline_pattern.h"

struct rule_verdicts;

/*
 * Prepares the verdicts for these arguments. All become unknown if they were about other arguments.
 * *verdicts is NULL at first and is allocated then; n_patterns and n_captures, those of all rules
 * together, must be the same each time. 0 or -ENOMEM.
 */
int rule_verdicts_begin(struct rule_verdicts **verdicts, const struct hash_key *key,
                        const char *cmdline, size_t n_patterns, size_t n_captures);

enum cmdline_verdict rule_verdicts_get(const struct rule_verdicts *verdicts, size_t pattern);

/*
 * Notes a verdict. If the pattern matches, its n captures, which are pieces of cmdline, are kept
 * from index `first` on.
 */
void rule_verdicts_set(struct rule_verdicts *verdicts, size_t pattern, enum cmdline_verdict verdict,
                       const char *cmdline, const struct text_piece *captures, size_t first,
                       size_t n);
/* Returns the captures that were kept. cmdline has the same bytes as when they were set. */
void rule_verdicts_captures(const struct rule_verdicts *verdicts, const char *cmdline, size_t first,
                            size_t n, struct text_piece *ret_captures);
