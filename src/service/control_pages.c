/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "service/page_group.h"
#include "web/control.h"

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

static const struct route routes[] = {
    {.path = "/-/reload", .restricted = true, .command = ask_reload},
    {.path = "/-/pause", .restricted = true, .takes_query = true, .command = ask_pause},
};
const struct page_group control_pages = {routes, ARRAY_SIZE(routes)};
