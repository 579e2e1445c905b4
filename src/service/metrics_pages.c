/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/exposition.h"
#include "service/page_group.h"

static uint64_t version_of_metrics(void *context)
{
    const struct pages *pages = context;

    return current_snapshot_version(&pages->metrics.current);
}

static int render_metrics(void *context, const struct route_request *request, size_t form,
                          struct text *text)
{
    struct pages *pages = context;

    return metrics_page_render(&pages->metrics, request->query, form, text);
}

static const struct route routes[] = {
    {.path = "/metrics",
     .content_type = EXPOSITION_CONTENT_TYPE,
     .forms = metrics_page_forms,
     .n_forms = METRICS_PAGE_FORMS,
     .takes_query = true,
     .version = version_of_metrics,
     .render = render_metrics},
};
const struct page_group metrics_pages = {routes, ARRAY_SIZE(routes)};
