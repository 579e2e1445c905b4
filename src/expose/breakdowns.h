/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How is written what targets have counted by key: a sample or a histogram for each key. */

#include "expose/histogram.h"
#include "metric/snapshot.h"

/* The targets of a plan, and their labels as in struct histogram_targets. */
struct breakdown_targets {
    const struct snapshot *snapshot;
    size_t plan;
    const char *labels;
    const struct label_block *blocks;
};

/* Appends all lines of all targets that have some. */
void breakdowns_append(const struct plan_breakdown *family, const struct breakdown_targets *targets,
                       struct text *text);
