/* SPDX-License-Identifier: Apache-2.0 */
#include "service/pages.h"

#include <errno.h>
#include <string.h>

/* The metrics come first. */
static const struct page_group *const groups[] = {
    &metrics_pages, &face_pages,    &health_pages,  &control_pages, &targets_pages, &events_pages,
    &status_pages,  &openapi_pages, &history_pages, &marks_pages,   &runs_pages,    &profile_pages,
};

/* Copies the routes of all groups, behind each other. */
static int copy_routes(struct pages *pages)
{
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        n += groups[i]->n;
    pages->routes = calloc(n, sizeof(*pages->routes));
    if (!pages->routes)
        return -ENOMEM;
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
        (void)memcpy(pages->routes + pages->n_routes, groups[i]->routes,
                     groups[i]->n * sizeof(*pages->routes));
        pages->n_routes += groups[i]->n;
    }
    pages->routes[0].path = pages->sources.telemetry_path;
    return 0;
}

int pages_init(struct pages *pages, const struct pages_sources *sources)
{
    int r;

    *pages = (struct pages){.sources = *sources};
    r = metrics_page_init(&pages->metrics, sources->slot, sources->serving, sources->procfs_fd);
    pages->metrics.history = sources->history;
    if (r >= 0)
        r = copy_routes(pages);
    pages->events = event_search_new(sources->options ? sources->options->sysfs : "/sys");
    return r >= 0 && !pages->events ? -ENOMEM : r;
}

void pages_done(struct pages *pages)
{
    pages->events = event_search_free(pages->events);
    metrics_page_done(&pages->metrics);
    free(TAKE(pages->routes));
    pages->n_routes = 0;
}

struct route_table pages_table(struct pages *pages)
{
    return (struct route_table){.routes = pages->routes, .n = pages->n_routes, .context = pages};
}

static bool is_below(const struct route *route, const char *path)
{
    return route->has_rest && strncmp(path, route->path, strlen(route->path)) == 0;
}

bool pages_has_path(const char *path)
{
    for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
        for (size_t j = i == 0 ? 1 : 0; j < groups[i]->n; j++)
            if (strcmp(path, groups[i]->routes[j].path) == 0 ||
                is_below(&groups[i]->routes[j], path))
                return true;
    return false;
}
