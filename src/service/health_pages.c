/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "service/page_group.h"

static int render_healthy(void *context, const struct route_request *request, size_t form,
                          struct text *text)
{
    (void)context, (void)request, (void)form;
    text_append_string(text, "OK\n");
    return 0;
}

/* The page is the same as long as it says "ready"; why it does not is another text each time. */
static uint64_t version_of_ready(void *context)
{
    const struct pages *pages = context;

    return current_snapshot_not_ready(&pages->metrics.current) ? 0 : 1;
}

static int render_ready(void *context, const struct route_request *request, size_t form,
                        struct text *text)
{
    const struct pages *pages = context;
    const char *reason = current_snapshot_not_ready(&pages->metrics.current);

    (void)request, (void)form;
    if (!reason) {
        text_append_string(text, "ready\n");
        return 0;
    }
    text_append_format(text, "not ready: %s\n", reason);
    return -EAGAIN;
}

static const struct route routes[] = {
    {.path = "/-/healthy", .content_type = CONTENT_PLAIN_TEXT, .render = render_healthy},
    {.path = "/-/ready",
     .content_type = CONTENT_PLAIN_TEXT,
     .version = version_of_ready,
     .render = render_ready},
};
const struct page_group health_pages = {routes, ARRAY_SIZE(routes)};
