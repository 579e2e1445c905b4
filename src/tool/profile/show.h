/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is printed for people: a table of functions, a tree of calls, or a table of what has changed
 * (pmutool profile); the instructions of a function (pmutool annotate). Each takes the answer of
 * the service, appends text, and returns 0, -EPROTO, -ENODATA (there are no samples in the range)
 * or -ENOMEM.
 */

#include <jansson.h>

#include "base/text.h"
#include "tool/profile/options.h"
#include "tool/terminal.h"

int profile_show_table(const json_t *answer, const struct profile_options *options,
                       const struct terminal *terminal, struct text *out);
int profile_show_tree(const json_t *answer, const struct profile_options *options,
                      const struct terminal *terminal, struct text *out);
int profile_show_difference(const json_t *answer, const struct profile_options *options,
                            const struct terminal *terminal, struct text *out);
int profile_show_annotation(const json_t *answer, const char *target,
                            const struct terminal *terminal, struct text *out);
