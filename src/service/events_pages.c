/* SPDX-License-Identifier: Apache-2.0 */

/* The catalogue of events: what can be counted here, and how a configuration names it. */
#include <errno.h>

#include "service/api_arguments.h"
#include "service/event_search.h"
#include "service/page_group.h"

static int ask_events(void *context, const struct route_request *request, struct deferred *answer,
                      struct text *text)
{
    static const char *const known[] = {"search", "limit", NULL};
    static const struct api_number limits = {"limit", 1, EVENT_SEARCH_LIMIT, 100};
    const struct pages *pages = context;
    const char *words = query_value(request->query, "search");
    uint64_t limit;
    int r = api_arguments_check(request->query, known, text);

    if (r >= 0)
        r = api_number_read(request->query, &limits, text, &limit);
    if (r < 0)
        return r;
    r = event_search_ask(pages->events, words ? words : "", (size_t)limit, answer);
    if (r == -EBUSY)
        text_append_string(text, "too many searches for events wait for an answer");
    return r;
}

static const struct route routes[] = {
    {.path = "/api/v1/events", .takes_query = true, .ask = ask_events},
};
const struct page_group events_pages = {routes, ARRAY_SIZE(routes)};
