/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes the past as JSON and CSV: what /api/v1/history and its sisters answer. The form of each
 * text stands in src/web/api/openapi.json.
 */

#include "base/text.h"
#include "history/history_store.h"

/* The past of one target, for a text that has several. */
struct history_part {
    const char *target;            /* its key */
    struct history_answer *answer; /* NULL: there is nothing of it */
};

struct history_page {
    uint64_t start_ns, end_ns, step_ns;
    const struct history_part *parts;
    size_t n_parts;
};

/* Each appends to an empty text. 0 or -ENOMEM. */
int history_json_write(const struct history_page *page, struct text *text);
int history_json_write_targets(const struct history_targets *targets, struct text *text);
int history_json_write_cpus(const char *target, const struct history_cpus *cpus, struct text *text);
int history_json_write_marks(const struct history_marks *marks, struct text *text);

/* Appends one mark as an object. */
void history_json_append_mark(struct text *text, const struct history_mark *mark);

/*
 * The same numbers as CSV (RFC 4180), a row for each time and target: "time", "target", then a
 * column for each family, which several targets share. What is not known is empty. The name of a
 * column with labels has them behind it: pmu_cgroup_group_coverage_ratio{group="core"}.
 */
int history_csv_write(const struct history_page *page, struct text *text);
