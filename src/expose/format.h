/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The pieces of the text format 0.0.4 and their escapes. */

#include "base/text.h"
#include "metric/plan.h"
#include "target/identity.h"

/* # HELP and # TYPE of a family. */
void format_append_head(struct text *text, const char *name, const char *help,
                        enum family_type type);

/* name="value", with backslash, quote and newline escaped. */
void format_append_label(struct text *text, const char *name, const char *value);

/* {a="…",b="…" without the closing brace; nothing where there are no labels. */
void format_append_labels(struct text *text, const struct label *labels, size_t n_labels);
