/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The totals of a layout of latencies are the numbers of the plan's histograms, in their order.
 * Each bucket is a series of its own, by its limit, with what it alone counts: a heat map needs no
 * more, and what does not change takes a bit.
 */
#include <errno.h>

#include "history/layout.h"
#include "history/layout_bytes.h"

static void append_label(struct text *text, const char *name, const char *value)
{
    layout_append_string(text, name ? name : "");
    layout_append_string(text, name ? value : "");
}

static void append_bucket(struct text *text, const struct plan_histogram *histogram, size_t bucket,
                          size_t total)
{
    layout_append_count(text, SERIES_RATE);
    layout_append_string(text, histogram->name);
    layout_append_string(text, "1");
    layout_append_string(text, "le");
    plan_append_limit(text, &latency_layouts[histogram->distribution], bucket);
    text_append_char(text, '\0');
    append_label(text, histogram->label.name, histogram->label.value);
    layout_append_count(text, 1);
    layout_append_count(text, total);
}

static void append_sum(struct text *text, const struct plan_histogram *histogram, size_t total)
{
    layout_append_count(text, SERIES_RATE);
    text_append_string(text, histogram->name);
    layout_append_string(text, "_sum");
    layout_append_string(text, "1e-9");
    append_label(text, histogram->label.name, histogram->label.value);
    append_label(text, NULL, NULL);
    layout_append_count(text, 1);
    layout_append_count(text, total);
}

int layout_of_latencies(const struct plan *plan, struct layout **ret_layout)
{
    const size_t n = plan->n_numbers - plan->n_described;
    AUTO_TEXT struct text bytes = {0};

    layout_append_count(&bytes, 1);
    layout_append_count(&bytes, n);
    layout_append_count(&bytes, n);
    for (size_t i = 0; i < plan->n_histograms; i++) {
        const struct plan_histogram *histogram = &plan->histograms[i];
        const size_t first = histogram->first - plan->n_described;
        const size_t n_buckets = latency_layouts[histogram->distribution].n;

        for (size_t bucket = 0; bucket < n_buckets; bucket++)
            append_bucket(&bytes, histogram, bucket, first + bucket);
        append_sum(&bytes, histogram, first + n_buckets);
    }
    return text_error(&bytes) < 0 ? -ENOMEM : layout_parse(bytes.data, bytes.length, ret_layout);
}
