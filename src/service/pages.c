/* SPDX-License-Identifier: Apache-2.0 */
#include "service/pages.h"

#include <errno.h>
#include <string.h>

#include "expose/exposition.h"
#include "expose/targets_json.h"
#include "service/landing_page.h"
#include "web/control.h"

static uint64_t version_of_metrics(void *context)
{
    const struct pages *pages = context;

    return metrics_page_version(&pages->metrics);
}

static int render_metrics(void *context, const struct query *query, struct text *text)
{
    struct pages *pages = context;

    (void)query;
    return metrics_page_render(&pages->metrics, text);
}

static int render_targets(void *context, const struct query *query, struct text *text)
{
    const struct pages *pages = context;

    (void)query;
    return metrics_page_render_targets(&pages->metrics, text);
}

static int render_landing_page(void *context, const struct query *query, struct text *text)
{
    const struct pages *pages = context;

    (void)query;
    landing_page_write(pages->telemetry_path, text);
    return 0;
}

static int render_healthy(void *context, const struct query *query, struct text *text)
{
    (void)context, (void)query;
    text_append_string(text, "OK\n");
    return 0;
}

/* The page is the same as long as it says "ready"; why it does not is another text each time. */
static uint64_t version_of_ready(void *context)
{
    const struct pages *pages = context;

    return metrics_page_not_ready(&pages->metrics) ? 0 : 1;
}

static int render_ready(void *context, const struct query *query, struct text *text)
{
    const struct pages *pages = context;
    const char *reason = metrics_page_not_ready(&pages->metrics);

    (void)query;
    if (!reason) {
        text_append_string(text, "ready\n");
        return 0;
    }
    text_append_format(text, "not ready: %s\n", reason);
    return -EAGAIN;
}

static int ask_reload(const struct query *query, struct control_request *ret_request,
                      struct text *text)
{
    (void)query, (void)text;
    *ret_request = (struct control_request){.action = CONTROL_RELOAD};
    return 0;
}

static int ask_pause(const struct query *query, struct control_request *ret_request,
                     struct text *text)
{
    const char *duration = query_value(query, "duration");
    struct control_request request = {.action = CONTROL_PAUSE};

    if (!duration || control_parse_pause(duration, &request.duration_ns) < 0) {
        text_append_string(text, "expected ?duration= with " CONTROL_PAUSE_EXPECTED "\n");
        return -EINVAL;
    }
    *ret_request = request;
    return 0;
}

/* The first line is that of --web.telemetry-path, by which pages_init() replaces its path. */
static const struct route table[N_PAGES] = {
    {.path = "/metrics",
     .content_type = EXPOSITION_CONTENT_TYPE,
     .version = version_of_metrics,
     .render = render_metrics},
    {.path = "/",
     .content_type = CONTENT_HTML,
     .security_policy = LANDING_PAGE_POLICY,
     .render = render_landing_page},
    {.path = "/-/healthy", .content_type = CONTENT_PLAIN_TEXT, .render = render_healthy},
    {.path = "/-/ready",
     .content_type = CONTENT_PLAIN_TEXT,
     .version = version_of_ready,
     .render = render_ready},
    {.path = "/api/v1/targets",
     .restricted = true,
     .content_type = TARGETS_JSON_CONTENT_TYPE,
     .version = version_of_metrics,
     .render = render_targets},
    {.path = "/-/reload", .restricted = true, .command = ask_reload},
    {.path = "/-/pause", .restricted = true, .takes_query = true, .command = ask_pause},
};

int pages_init(struct pages *pages, const char *telemetry_path, struct snapshot_slot *slot,
               const struct serving *serving, int procfs_fd)
{
    *pages = (struct pages){.telemetry_path = telemetry_path};
    (void)memcpy(pages->routes, table, sizeof(table));
    pages->routes[0].path = telemetry_path;
    return metrics_page_init(&pages->metrics, slot, serving, procfs_fd);
}

void pages_done(struct pages *pages)
{
    metrics_page_done(&pages->metrics);
}

struct route_table pages_table(struct pages *pages)
{
    return (struct route_table){.routes = pages->routes, .n = N_PAGES, .context = pages};
}

bool pages_has_path(const char *path)
{
    for (size_t i = 1; i < N_PAGES; i++)
        if (strcmp(path, table[i].path) == 0)
            return true;
    return false;
}
