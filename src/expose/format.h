/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The pieces of the Prometheus text format 0.0.4, with their escapes. */

#include "base/text.h"
#include "metric/plan.h"
#include "target/identity.h"

/* Appends the lines # HELP and # TYPE of a family. */
void format_append_head(struct text *text, const char *name, const char *help,
                        enum family_type type);

/* Appends name="value", with backslash, quote and newline escaped. */
void format_append_label(struct text *text, const char *name, const char *value);

/* Appends {a="…",b="…" without the closing brace, or nothing if there are no labels. */
void format_append_labels(struct text *text, const struct label *labels, size_t n_labels);
