/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The page of the metrics: the current snapshot as text, with what is known only when it is read.
 */

#include "expose/exposition.h"
#include "metric/snapshot.h"
#include "service/serving.h"
#include "web/server.h"

struct metrics_page {
    struct snapshot_slot *slot; /* borrowed */
    struct exposition *exposition;
    const struct serving *serving; /* borrowed, or NULL */
    int procfs_fd;                 /* borrowed */
};

/* Returns from what age on a snapshot is stale, if cycles are so far apart. */
uint64_t metrics_page_stale_ns(uint64_t interval_ns);

/* serving: whose connections the page shows, once it runs; NULL: it shows none. 0 or -ENOMEM. */
int metrics_page_init(struct metrics_page *page, struct snapshot_slot *slot,
                      const struct serving *serving, int procfs_fd);
void metrics_page_done(struct metrics_page *page);

/* As struct route wants it: the number of the snapshot, or 0 where there is none or it is stale. */
uint64_t metrics_page_version(const struct metrics_page *page);

/* Writes the snapshot. Returns 0; -EAGAIN: there is none yet, and the text says so; -ENOMEM. */
int metrics_page_render(struct metrics_page *page, struct text *text);

/* Tells why the exporter is not ready, in a few static words; NULL: it is. */
const char *metrics_page_not_ready(const struct metrics_page *page);
