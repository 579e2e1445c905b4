/* SPDX-License-Identifier: Apache-2.0 */
#include "service/metrics_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "service/version.h"

/* A snapshot is stale after 10 s or 5 intervals, whichever is more. */
#define STALE_NS        (10 * NS_PER_SECOND)
#define STALE_INTERVALS 5

/* All names here are such as every version of Prometheus knows: no escaping changes them. */
const struct route_form metrics_page_forms[METRICS_PAGE_FORMS] = {
    {.content_type = EXPOSITION_CONTENT_TYPE, .can_escape = true},
    {.content_type = OPENMETRICS_CONTENT_TYPE, .can_escape = true},
    {.content_type = OPENMETRICS_001_CONTENT_TYPE, .can_escape = true},
};

static const enum exposition_format formats[METRICS_PAGE_FORMS] = {
    EXPOSITION_TEXT, EXPOSITION_OPENMETRICS, EXPOSITION_OPENMETRICS};

uint64_t metrics_page_stale_ns(uint64_t interval_ns)
{
    uint64_t intervals_ns = STALE_INTERVALS * interval_ns;

    return intervals_ns > STALE_NS ? intervals_ns : STALE_NS;
}

int metrics_page_init(struct metrics_page *page, struct snapshot_slot *slot,
                      const struct serving *serving, int procfs_fd)
{
    *page = (struct metrics_page){
        .slot = slot, .exposition = exposition_new(), .serving = serving, .procfs_fd = procfs_fd};
    return page->exposition ? 0 : -ENOMEM;
}

void metrics_page_done(struct metrics_page *page)
{
    page->exposition = exposition_free(page->exposition);
}

static uint64_t age_ns(const struct snapshot *snapshot)
{
    return clock_monotonic_ns() - snapshot->taken_ns;
}

bool metrics_page_is_stale(const struct snapshot *snapshot)
{
    return age_ns(snapshot) > metrics_page_stale_ns(snapshot->status.interval_ns);
}

uint64_t metrics_page_version(const struct metrics_page *page)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(page->slot);

    /* A stale page shows its age, which is another one each time. */
    if (!snapshot || metrics_page_is_stale(snapshot))
        return 0;
    return snapshot->sequence;
}

int metrics_page_take(const struct metrics_page *page, struct text *text,
                      struct snapshot **ret_snapshot)
{
    struct snapshot *const snapshot = snapshot_slot_get(page->slot);

    if (!snapshot) {
        text_append_string(text, "not ready: there are no numbers yet\n");
        return -EAGAIN;
    }
    *ret_snapshot = snapshot;
    return 0;
}

/* Writes the snapshot with what is known only now. */
static int write_snapshot(struct metrics_page *page, const struct snapshot *snapshot,
                          const struct exposition_order *order, struct text *text)
{
    struct self_stats self;
    struct http_status http;
    struct history_status history;
    struct exposition_facts facts = {.version = version_string(), .revision = version_revision()};

    facts.age_ns = age_ns(snapshot);
    facts.stale = metrics_page_is_stale(snapshot);
    if (page->serving) {
        serving_status(page->serving, &http);
        facts.http = &http;
    }
    if (page->history) {
        history_get_status(page->history, &history);
        facts.history = &history;
    }
    if (self_stats_read(page->procfs_fd, &self) == 0)
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
    r = metrics_page_take(page, text, &snapshot);
    return r < 0 ? r : write_snapshot(page, snapshot, &order, text);
}

int metrics_page_write_targets(const struct metrics_page *page, const struct snapshot *snapshot,
                               const struct targets_selection *selection, struct text *text)
{
    struct exposition_facts facts = {.stale = metrics_page_is_stale(snapshot)};
    struct self_stats self;

    if (self_stats_read(page->procfs_fd, &self) == 0)
        facts.self = &self;
    return targets_json_write(snapshot, &facts, selection, text);
}

/*
 * The reasons that somebody has to remove if they leave nothing counted at all. Something that the
 * machine lacks, as a PMU, is no such reason, and neither are rules that match nothing yet.
 */
static const struct {
    enum absence reason;
    const char *text;
} hindrances[] = {
    {ABSENCE_NOT_PERMITTED,
     "nothing is counted, it is not permitted (not_permitted): grant CAP_PERFMON, or lower "
     "kernel.perf_event_paranoid"},
    {ABSENCE_NO_DESCRIPTORS,
     "nothing is counted, descriptors are used up (no_descriptors): raise the limit of open files"},
};

/* Returns why nothing is counted although there is something to count; NULL: something is. */
static const char *hindrance(const struct exporter_status *status)
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        if (status->targets[kind] > 0)
            return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(hindrances); i++)
        for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
            if (status->uncounted[kind][hindrances[i].reason] > 0)
                return hindrances[i].text;
    return NULL;
}

const char *metrics_page_not_ready(const struct metrics_page *page)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(page->slot);

    if (!snapshot)
        return "the first cycle is not complete";
    if (metrics_page_is_stale(snapshot))
        return "the last cycle is too long ago";
    return hindrance(&snapshot->status);
}
