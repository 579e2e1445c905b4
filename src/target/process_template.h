/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The name of a group of processes: text with fields between `{{` and `}}`, as
 * process-exporter has them. Spaces inside the braces mean nothing, and a `}}`
 * that closes nothing is text.
 */

#include "base/text.h"
#include "target/process_rules.h"

enum process_field {
    PROCESS_COMM,
    PROCESS_EXE_BASE,
    PROCESS_EXE_FULL,
    PROCESS_USERNAME,
    PROCESS_PID,
    PROCESS_START_TIME,
    PROCESS_FIELDS_, /* how many there are */
};

/* Bytes within a text of somebody else. */
struct text_piece {
    const char *bytes;
    size_t n;
};

bool text_piece_is(struct text_piece piece, const char *text);

struct process_template;

/*
 * Reads a template. `captures` are the names that {{.Matches.x}} may have; of two
 * that are the same the last counts. 0; -EINVAL with offset and message of
 * *ret_error filled; -ENOMEM.
 */
int process_template_parse(const char *text, const char *const *captures, size_t n_captures,
                           struct process_template **ret_template,
                           struct process_rule_error *ret_error);
struct process_template *process_template_free(struct process_template *parsed);
DEFINE_AUTO(process_template, struct process_template *, process_template_free)

bool process_template_uses(const struct process_template *parsed, enum process_field field);

/*
 * Appends the name. `fields` has PROCESS_FIELDS_ pieces, of which those that are not
 * used need not be filled; `captures` are in the order of process_template_parse().
 */
void process_template_expand(const struct process_template *parsed, const struct text_piece *fields,
                             const struct text_piece *captures, struct text *name);
