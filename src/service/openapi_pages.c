/* SPDX-License-Identifier: Apache-2.0 */

/* The description of the API itself. */
#include "service/page_group.h"
#include "web/openapi.h"

static int render_openapi(void *context, const struct route_request *request, size_t form,
                          struct text *text)
{
    size_t length;
    const char *openapi = openapi_text(&length);

    (void)context, (void)request, (void)form;
    text_append(text, openapi, length);
    return 0;
}

static const struct route routes[] = {
    {.path = "/api/v1/openapi.json", .content_type = CONTENT_JSON, .render = render_openapi},
};
const struct page_group openapi_pages = {routes, ARRAY_SIZE(routes)};
