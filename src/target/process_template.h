/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The template for the name of a group of processes: text with fields between `{{` and `}}`, as
 * in process-exporter. Spaces inside the braces mean nothing. A `}}` that closes nothing is text.
 */

#include "base/text.h"
#include "base/text_piece.h"
#include "target/names.h"
#include "target/process_rules.h"

enum process_field {
    PROCESS_COMM,
    PROCESS_EXE_BASE,
    PROCESS_EXE_FULL,
    PROCESS_USERNAME,
    PROCESS_PID,
    PROCESS_START_TIME,
    PROCESS_NAMES, /* the first of the names: one for each enum name_kind, in its order */
    PROCESS_FIELDS_ = PROCESS_NAMES + NAMES_, /* how many fields there are */
};

struct process_template;

/*
 * Parses a template. `captures` are the names that {{.Matches.x}} may have; if two are the same,
 * the last one counts. 0; -EINVAL, with offset and message of *ret_error set; -ENOMEM.
 */
int process_template_parse(const char *text, const char *const *captures, size_t n_captures,
                           struct process_template **ret_template,
                           struct process_rule_error *ret_error);
struct process_template *process_template_free(struct process_template *parsed);
DEFINE_AUTO(process_template, struct process_template *, process_template_free)

/* Whether both are the same text. */
bool process_template_is(const struct process_template *parsed,
                         const struct process_template *other);
bool process_template_uses(const struct process_template *parsed, enum process_field field);

/* Whether it uses one of the names. */
bool process_template_uses_names(const struct process_template *parsed);

/*
 * Appends the name that the template makes. `fields` has PROCESS_FIELDS_ pieces; those that the
 * template does not use need not be set. `captures` are in the order of process_template_parse().
 */
void process_template_expand(const struct process_template *parsed, const struct text_piece *fields,
                             const struct text_piece *captures, struct text *name);
