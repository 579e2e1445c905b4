/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The page of the metrics: the current snapshot as text, with what is known only when it is read.
 */

#include "expose/exposition.h"
#include "history/history.h"
#include "metric/snapshot.h"
#include "service/current_snapshot.h"
#include "service/serving.h"
#include "web/query.h"
#include "web/route.h"
#include "web/server.h"

struct metrics_page {
    struct current_snapshot current;
    struct exposition *exposition;
    const struct serving *serving; /* It is borrowed, or NULL. */
    struct history *history;       /* It is borrowed, or NULL. */
};

/* The page shows the connections of `serving` once it runs; NULL: none. Returns 0 or -ENOMEM. */
int metrics_page_init(struct metrics_page *page, struct snapshot_slot *slot,
                      const struct serving *serving, int procfs_fd);
void metrics_page_done(struct metrics_page *page);

/* The forms in which the metrics can be had (web/route.h): text 0.0.4 and OpenMetrics. */
#define METRICS_PAGE_FORMS 3
extern const struct route_form metrics_page_forms[METRICS_PAGE_FORMS];

/*
 * Writes the snapshot in one of the forms. The query's arguments name[] choose families. Returns 0;
 * -EAGAIN: there is none yet, -EINVAL: there is no such family, and the text says so; -ENOMEM.
 */
int metrics_page_render(struct metrics_page *page, const struct query *query, size_t form,
                        struct text *text);
