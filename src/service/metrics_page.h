/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The page of the metrics: the current snapshot as text, with what is known only when it is read.
 */

#include "expose/exposition.h"
#include "expose/targets_json.h"
#include "history/history.h"
#include "metric/snapshot.h"
#include "service/serving.h"
#include "web/query.h"
#include "web/route.h"
#include "web/server.h"

struct metrics_page {
    struct snapshot_slot *slot; /* The slot is borrowed. */
    struct exposition *exposition;
    const struct serving *serving; /* It is borrowed, or NULL. */
    struct history *history;       /* It is borrowed, or NULL. */
    int procfs_fd;                 /* The descriptor is borrowed. */
};

/* Returns the age from which on a snapshot is stale, for this time between cycles. */
uint64_t metrics_page_stale_ns(uint64_t interval_ns);

/* The page shows the connections of `serving` once it runs; NULL: none. Returns 0 or -ENOMEM. */
int metrics_page_init(struct metrics_page *page, struct snapshot_slot *slot,
                      const struct serving *serving, int procfs_fd);
void metrics_page_done(struct metrics_page *page);

/* Returns the snapshot's number for struct route, or 0 where there is none or it is stale. */
uint64_t metrics_page_version(const struct metrics_page *page);

/* The forms in which the metrics can be had (web/route.h): text 0.0.4 and OpenMetrics. */
#define METRICS_PAGE_FORMS 3
extern const struct route_form metrics_page_forms[METRICS_PAGE_FORMS];

/*
 * Writes the snapshot in one of the forms. The query's arguments name[] choose families. Returns 0;
 * -EAGAIN: there is none yet, -EINVAL: there is no such family, and the text says so; -ENOMEM.
 */
int metrics_page_render(struct metrics_page *page, const struct query *query, size_t form,
                        struct text *text);

/* Whether a snapshot is too old to be shown. */
bool metrics_page_is_stale(const struct snapshot *snapshot);

/* Takes the current snapshot for the caller. Without one the text says so: -EAGAIN. */
int metrics_page_take(const struct metrics_page *page, struct text *text,
                      struct snapshot **ret_snapshot);

/* Writes a snapshot, or what is chosen of it, as JSON (expose/targets_json.h). 0 or -ENOMEM. */
int metrics_page_write_targets(const struct metrics_page *page, const struct snapshot *snapshot,
                               const struct targets_selection *selection, struct text *text);

/* Returns why the exporter is not ready, in a few static words; NULL: it is ready. */
const char *metrics_page_not_ready(const struct metrics_page *page);
