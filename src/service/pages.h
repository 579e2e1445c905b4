/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All that the service shows over HTTP, and what may be asked of it: the table of its routes. */

#include <stdbool.h>

#include "service/metrics_page.h"
#include "web/route.h"

#define N_PAGES 7

struct pages {
    const char *telemetry_path; /* borrowed */
    struct metrics_page metrics;
    struct route routes[N_PAGES];
};

/*
 * The collector publishes in the slot. The metrics show the connections of `serving` once it runs.
 * Both are borrowed. Returns 0 or -ENOMEM.
 */
int pages_init(struct pages *pages, const char *telemetry_path, struct snapshot_slot *slot,
               const struct serving *serving, int procfs_fd);
void pages_done(struct pages *pages);

/* Returns the table for the server; it is valid as long as the pages stay where they are. */
struct route_table pages_table(struct pages *pages);

/* Tells whether a path belongs to a route other than that of the metrics, whose path is free. */
bool pages_has_path(const char *path);
