/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The pieces of the formats of expose/exposition.h, with their escapes. */

#include "base/text.h"
#include "expose/exposition.h"
#include "metric/plan.h"
#include "target/identity.h"

/* The name and type of a family, as the catalogue has them: "pmu_cgroup_cycles_total", a counter.
 */
struct family_name {
    const char *text;
    enum family_type type;
};

/* How many bytes of the name are the family's name in OpenMetrics: without "_total" or "_info". */
size_t format_base_length(struct family_name name);

/* Appends the lines # HELP and # TYPE of a family, and # UNIT where the format has it. */
void format_append_head(struct text *text, enum exposition_format format, struct family_name name,
                        const char *help);

/* Appends name="value", with backslash, quote and newline escaped. */
void format_append_label(struct text *text, const char *name, const char *value);

/* Appends {a="…",b="…" without the closing brace, or nothing if there are no labels. */
void format_append_labels(struct text *text, const struct label *labels, size_t n_labels);
