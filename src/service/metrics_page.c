/* SPDX-License-Identifier: Apache-2.0 */
#include "service/metrics_page.h"

#include <errno.h>

#include "base/clock.h"
#include "expose/targets_json.h"
#include "service/version.h"

/* A snapshot is stale after 10 s or 5 intervals, whichever is more. */
#define STALE_NS        (10 * NS_PER_SECOND)
#define STALE_INTERVALS 5

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

static bool is_stale(const struct snapshot *snapshot)
{
    return age_ns(snapshot) > metrics_page_stale_ns(snapshot->status.interval_ns);
}

uint64_t metrics_page_version(const struct metrics_page *page)
{
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(page->slot);

    /* A stale page shows its age, which is another one each time. */
    if (!snapshot || is_stale(snapshot))
        return 0;
    return snapshot->sequence;
}

/* Takes the current snapshot. Without one it says so, and returns -EAGAIN. */
static int take_snapshot(const struct metrics_page *page, struct text *text,
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

int metrics_page_render(struct metrics_page *page, struct text *text)
{
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    struct self_stats self;
    struct http_status http;
    struct exposition_facts facts = {.version = version_string(), .revision = version_revision()};
    int r = take_snapshot(page, text, &snapshot);

    if (r < 0)
        return r;
    facts.age_ns = age_ns(snapshot);
    facts.stale = is_stale(snapshot);
    if (page->serving) {
        http_server_status(page->serving->server, &http);
        facts.http = &http;
    }
    if (self_stats_read(page->procfs_fd, &self) == 0)
        facts.self = &self;
    return exposition_write(page->exposition, snapshot, &facts, text);
}

int metrics_page_render_targets(const struct metrics_page *page, struct text *text)
{
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    struct self_stats self;
    struct exposition_facts facts = {0};
    int r = take_snapshot(page, text, &snapshot);

    if (r < 0)
        return r;
    facts.stale = is_stale(snapshot);
    if (self_stats_read(page->procfs_fd, &self) == 0)
        facts.self = &self;
    return targets_json_write(snapshot, &facts, text);
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
    if (is_stale(snapshot))
        return "the last cycle is too long ago";
    return hindrance(&snapshot->status);
}
