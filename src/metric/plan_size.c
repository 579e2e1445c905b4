/* SPDX-License-Identifier: Apache-2.0 */

/* How many series a plan makes for a target, and how much text, at most. */
#include <string.h>

#include "metric/plan.h"

/* The digits of UINT64_MAX are 20, of a double in its shortest form at most 24. */
#define LONGEST_NUMBER 24

/* Each shown bucket is a series, and so are the sum and the count. */
static size_t series_of(const struct plan_histogram *histogram)
{
    if (histogram->is_hidden)
        return 0;
    return plan_shown_buckets(&latency_layouts[histogram->distribution]) + 2;
}

static size_t series_by_key(const struct plan_breakdown *breakdown)
{
    const struct breakdown_shape *shape = &breakdown_shapes[breakdown->kind];
    const size_t n_lines = breakdown->most_lines;

    if (breakdown->type != FAMILY_HISTOGRAM)
        return n_lines;
    return n_lines * (plan_shown_buckets(&shape->distributions) + 2);
}

size_t plan_row_series(const struct plan *plan)
{
    size_t n = plan->n_columns;

    for (size_t i = 0; i < plan->n_histograms; i++)
        n += series_of(&plan->histograms[i]);
    for (size_t i = 0; i < plan->n_breakdowns; i++)
        n += series_by_key(&plan->breakdowns[i]);
    return n;
}

static size_t label_bytes(const struct column_label *label)
{
    return label->name ? strlen(label->name) + strlen(label->value) + sizeof(",=\"\"") : 0;
}

#define BUCKET "_bucket,le=\"1.1920928955078125e-07\"{}"

static size_t histogram_bytes(const struct plan_histogram *histogram, size_t labels_bytes)
{
    return series_of(histogram) * (strlen(histogram->name) + sizeof(BUCKET) +
                                   label_bytes(&histogram->label) + labels_bytes + LONGEST_NUMBER);
}

static size_t breakdown_bytes(const struct plan_breakdown *breakdown, size_t labels_bytes)
{
    const struct breakdown_shape *shape = &breakdown_shapes[breakdown->kind];

    for (size_t i = 0; i < ARRAY_SIZE(shape->label_names) && shape->label_names[i]; i++)
        labels_bytes += strlen(shape->label_names[i]) + BREAKDOWN_LABEL_BYTES + sizeof(",=\"\"");
    return series_by_key(breakdown) *
           (strlen(breakdown->name) + sizeof(BUCKET) + labels_bytes + LONGEST_NUMBER);
}

size_t plan_row_bytes(const struct plan *plan, size_t labels_bytes)
{
    size_t bytes = 0;

    for (size_t i = 0; i < plan->n_columns; i++) {
        const struct column_label *label = plan->columns[i].labels;

        bytes += strlen(plan->columns[i].name) + labels_bytes + LONGEST_NUMBER;
        for (size_t n = 0; n < COLUMN_LABELS; n++)
            bytes += label_bytes(&label[n]);
    }
    for (size_t i = 0; i < plan->n_histograms; i++)
        bytes += histogram_bytes(&plan->histograms[i], labels_bytes);
    for (size_t i = 0; i < plan->n_breakdowns; i++)
        bytes += breakdown_bytes(&plan->breakdowns[i], labels_bytes);
    return bytes;
}

/* The bytes of a help with its escapes, of which OpenMetrics has one more than the text format. */
static size_t help_bytes(const char *help)
{
    size_t bytes = 0;

    for (; *help; help++)
        bytes += *help == '\\' || *help == '"' || *help == '\n' ? 2 : 1;
    return bytes;
}

/* A unit is the end of the family's name, so it is not longer than the name. */
static size_t head_bytes(const char *name, const char *help)
{
    return 4 * strlen(name) + help_bytes(help) + sizeof("# HELP  \n# TYPE  histogram\n# UNIT  \n");
}

size_t plan_head_bytes(const struct plan *plan)
{
    size_t bytes = 0;

    for (size_t i = 0; i < plan->n_columns; i++)
        bytes += head_bytes(plan->columns[i].name, plan->columns[i].help);
    for (size_t i = 0; i < plan->n_histograms; i++)
        bytes += head_bytes(plan->histograms[i].name, plan->histograms[i].help);
    for (size_t i = 0; i < plan->n_breakdowns; i++)
        bytes += head_bytes(plan->breakdowns[i].name, plan->breakdowns[i].help);
    return bytes;
}
