/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* /metrics: the current snapshot as the server shows it. */

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

/* From what age on a snapshot is stale, where cycles are that far apart. */
uint64_t metrics_page_stale_ns(uint64_t interval_ns);

/* serving: who shows the page, later; NULL: it tells nothing of connections. 0 or -ENOMEM. */
int metrics_page_init(struct metrics_page *page, struct snapshot_slot *slot,
                      const struct serving *serving, int procfs_fd);
void metrics_page_done(struct metrics_page *page);

/* The page as a source for the server; valid as long as the page. */
struct page_source metrics_page_source(struct metrics_page *page);
