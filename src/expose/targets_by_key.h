/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Columns of a table for what is counted by key, of families that are named: as many as the targets
 * that are written have lines, together. A target that lacks a line has counted nothing in it: 0.
 */

#include "expose/targets_json.h"
#include "metric/plan.h"

/* A family that is named, with the lines that the targets of the table have. */
struct keyed_family {
    const struct plan_breakdown *family;
    struct breakdown *lines;  /* a reference; the numbers in it are of no use */
    bool has_values, has_sum; /* what of a histogram is named; has_values: a counter is */
};

struct keyed_columns {
    const struct snapshot *snapshot;
    size_t plan;
    struct keyed_family *families;
    size_t n; /* how many families, also such as have no line yet */
};

/* The columns of a plan's table. The snapshot is borrowed. 0 or -ENOMEM; end it in any case. */
int keyed_columns_init(struct keyed_columns *columns, const struct targets_selection *selection,
                       const struct snapshot *snapshot, size_t plan);
void keyed_columns_done(struct keyed_columns *columns);

/* Appends the columns, or their values of a target of the plan. is_behind: others stand before. */
void keyed_columns_append_heads(struct text *text, const struct keyed_columns *columns,
                                bool is_behind);
void keyed_columns_append_values(struct text *text, const struct keyed_columns *columns,
                                 size_t target, bool is_behind);
