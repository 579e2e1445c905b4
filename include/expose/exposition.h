/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes a snapshot as text, in the exposition format 0.0.4 of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/) or in OpenMetrics 1.0.0
 * (https://prometheus.io/docs/specs/om/open_metrics_spec/). What depends only on the roster, such
 * as escaped labels, is kept from one text to the next; digits are written each time. An object
 * belongs to one thread, the server's.
 */

#include "base/text.h"
#include "history/history_status.h"
#include "metric/http_status.h"
#include "metric/snapshot.h"
#include "sys/self.h"

/* The Content-Types that go with the texts. OpenMetrics 0.0.1 is the same text as 1.0.0. */
#define EXPOSITION_CONTENT_TYPE      "text/plain; version=0.0.4; charset=utf-8"
#define OPENMETRICS_CONTENT_TYPE     "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define OPENMETRICS_001_CONTENT_TYPE "application/openmetrics-text; version=0.0.1; charset=utf-8"

struct exposition;

/*
 * OpenMetrics names a counter and a family of infos without the ending of their samples, "_total"
 * or "_info". It tells units, and where the text ends. There are no samples "_created":
 * Prometheus would keep each of them as a series.
 */
enum exposition_format { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS };

/*
 * What is to be written. Families are chosen by their names in either format: "pmu_x_total" and
 * "pmu_x" are the same counter. Without names all are.
 */
struct exposition_order {
    enum exposition_format format;
    const char *const *names;
    size_t n_names;
};

struct exposition *exposition_new(void); /* NULL if there is no memory */
struct exposition *exposition_free(struct exposition *exposition);
DEFINE_AUTO(exposition, struct exposition *, exposition_free)

/* What is known only when the text is written. */
struct exposition_facts {
    const char *version;
    const char *revision;
    uint64_t age_ns;                /* how old the snapshot is */
    bool stale;                     /* too old: write only pmu_exporter_* and process_* */
    const struct self_stats *self;  /* NULL if they are not known: then process_* are absent */
    const struct http_status *http; /* NULL if there is no server */
    const struct history_status *history; /* NULL if no history is kept */
};

/*
 * Writes the page into an empty text. Returns 0; -EINVAL: there is no family of one of the names,
 * and the text says which name may have been meant; -ENOMEM. A family is there also while it has
 * no samples.
 */
int exposition_write(struct exposition *exposition, const struct snapshot *snapshot,
                     const struct exposition_facts *facts, const struct exposition_order *order,
                     struct text *text);
