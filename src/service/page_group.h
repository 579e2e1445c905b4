/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Routes that belong together stand in one file, NAME_pages.c, which ends in their table:
 *
 *     static const struct route routes[] = {{.path = "/api/v1/names", .render = render_names}};
 *     const struct page_group names_pages = {routes, ARRAY_SIZE(routes)};
 *
 * The group has a line here and one in pages.c. Its functions get the struct pages as context.
 */

#include "history/history.h"
#include "metric/snapshot.h"
#include "service/config_shown.h"
#include "service/event_search.h"
#include "service/metrics_page.h"
#include "service/options.h"
#include "service/profiler.h"
#include "service/runs.h"
#include "service/serving.h"
#include "web/route.h"

/* What the pages show, or work with. All of it is borrowed, and outlives the pages. */
struct pages_sources {
    const char *telemetry_path;
    struct snapshot_slot *slot;    /* The collector publishes there. */
    const struct serving *serving; /* The metrics show its connections once it runs; or NULL. */
    const struct options *options; /* NULL in tests that have none */
    struct config_shown *config;   /* the configuration in force; NULL in tests without one */
    struct history *history;       /* NULL: no history is kept */
    struct runs *runs;             /* NULL in tests that have none */
    struct profiler *profiler;     /* NULL likewise */
    int procfs_fd;
};

struct pages {
    struct pages_sources sources;
    struct metrics_page metrics;
    struct event_search *events;
    struct route *routes; /* those of all groups */
    size_t n_routes;
};

struct page_group {
    const struct route *routes;
    size_t n;
};

/* The first line is that of --web.telemetry-path, by which pages_init() replaces its path. */
extern const struct page_group metrics_pages;
extern const struct page_group face_pages;
extern const struct page_group health_pages;
extern const struct page_group control_pages;
extern const struct page_group targets_pages;
extern const struct page_group events_pages;
extern const struct page_group status_pages;
extern const struct page_group openapi_pages;
extern const struct page_group history_pages;
extern const struct page_group marks_pages;
extern const struct page_group runs_pages;
extern const struct page_group profile_pages;
