/* SPDX-License-Identifier: Apache-2.0 */
#include "service/metrics_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "service/version.h"

/* All names here are such as every version of Prometheus knows: no escaping changes them. */
const struct route_form metrics_page_forms[METRICS_PAGE_FORMS] = {
    {.content_type = EXPOSITION_CONTENT_TYPE, .can_escape = true},
    {.content_type = OPENMETRICS_CONTENT_TYPE, .can_escape = true},
    {.content_type = OPENMETRICS_001_CONTENT_TYPE, .can_escape = true},
};

static const enum exposition_format formats[METRICS_PAGE_FORMS] = {
    EXPOSITION_TEXT, EXPOSITION_OPENMETRICS, EXPOSITION_OPENMETRICS};

int metrics_page_init(struct metrics_page *page, struct snapshot_slot *slot,
                      const struct serving *serving, int procfs_fd)
{
    *page = (struct metrics_page){.current = {.slot = slot, .procfs_fd = procfs_fd},
                                  .exposition = exposition_new(),
                                  .serving = serving};
    return page->exposition ? 0 : -ENOMEM;
}

void metrics_page_done(struct metrics_page *page)
{
    page->exposition = exposition_free(page->exposition);
}

/* Writes the snapshot with what is known only now. */
static int write_snapshot(struct metrics_page *page, const struct snapshot *snapshot,
                          const struct exposition_order *order, struct text *text)
{
    struct self_stats self;
    struct http_status http;
    struct history_status history;
    struct exposition_facts facts = {.version = version_string(), .revision = version_revision()};

    facts.age_ns = current_snapshot_age_ns(snapshot);
    facts.stale = current_snapshot_is_stale(snapshot);
    if (page->serving) {
        serving_status(page->serving, &http);
        facts.http = &http;
    }
    if (page->history) {
        history_get_status(page->history, &history);
        facts.history = &history;
    }
    if (self_stats_read(page->current.procfs_fd, &self) == 0)
        facts.self = &self;
    return exposition_write(page->exposition, snapshot, &facts, order, text);
}

/* Other arguments mean nothing here; who adds some to a URL, as caches are told to, gets all. */
static size_t take_names(const struct query *query, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < query->n; i++)
        if (strcmp(query->arguments[i].name, "name[]") == 0)
            names[n++] = query->arguments[i].value;
    return n;
}

int metrics_page_render(struct metrics_page *page, const struct query *query, size_t form,
                        struct text *text)
{
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    AUTO_FREE const char **names = calloc(query->n + 1, sizeof(*names));
    struct exposition_order order = {.format = formats[form], .names = names};
    int r;

    if (!names)
        return -ENOMEM;
    order.n_names = take_names(query, names);
    r = current_snapshot_take(&page->current, text, &snapshot);
    return r < 0 ? r : write_snapshot(page, snapshot, &order, text);
}
