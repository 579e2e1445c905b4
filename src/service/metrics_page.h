/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The page of the metrics: the current snapshot as text, with what is known only when it is read.
 */

#include "expose/exposition.h"
#include "metric/snapshot.h"
#include "service/serving.h"
#include "web/server.h"

struct metrics_page {
    struct snapshot_slot *slot; /* The slot is borrowed. */
    struct exposition *exposition;
    const struct serving *serving; /* It is borrowed, or NULL. */
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

/* Writes the snapshot. Returns 0; -EAGAIN: there is none yet, and the text says so; -ENOMEM. */
int metrics_page_render(struct metrics_page *page, struct text *text);

/* Writes the same numbers as JSON (expose/targets_json.h). Returns what the function above does. */
int metrics_page_render_targets(const struct metrics_page *page, struct text *text);

/* Returns why the exporter is not ready, in a few static words; NULL: it is ready. */
const char *metrics_page_not_ready(const struct metrics_page *page);
