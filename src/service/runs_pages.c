/* SPDX-License-Identifier: Apache-2.0 */

/* Runs: begun, watched, listed, compared, renamed and deleted. */
#include <errno.h>

#include "run/recording_text.h"
#include "service/api_arguments.h"
#include "service/page_group.h"
#include "service/runs_work.h"

static int ask_begin(void *context, const struct route_request *request, struct deferred *answer,
                     struct text *text)
{
    const struct pages *pages = context;
    struct run_request wanted;
    int r = run_request_parse(request->body, request->body_length, &wanted, text);

    if (r == 0)
        r = runs_begin(pages->sources.runs, &wanted, answer, text);
    run_request_done(&wanted);
    return r;
}

static int ask_keep(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    const struct pages *pages = context;

    return runs_ask_keep(pages->sources.runs, pages->sources.history, request->body,
                         request->body_length, answer, text);
}

static int ask_list(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    const struct pages *pages = context;

    (void)request;
    return runs_ask_list(pages->sources.runs, pages->sources.history, answer, text);
}

static int ask_compare(void *context, const struct route_request *request, struct deferred *answer,
                       struct text *text)
{
    static const char *const known[] = {"a", "b", NULL};
    const struct pages *pages = context;
    uint64_t a = 0, b = 0;
    int r = api_arguments_check(request->query, known, text);

    if (r == 0)
        r = api_id_read(query_value(request->query, "a"), "run", text, &a);
    if (r == 0)
        r = api_id_read(query_value(request->query, "b"), "run", text, &b);
    return r < 0
               ? r
               : runs_ask_compare(pages->sources.runs, pages->sources.history, a, b, answer, text);
}

static int show(void *context, const struct route_request *request, enum runs_form form,
                struct deferred *answer, struct text *text)
{
    const struct pages *pages = context;
    uint64_t id;
    int r = api_id_read(request->rest, "run", text, &id);

    return r < 0
               ? r
               : runs_ask_show(pages->sources.runs, pages->sources.history, id, form, answer, text);
}

static int ask_show(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    return show(context, request, RUNS_JSON, answer, text);
}

static int ask_json(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    return show(context, request, RUNS_JSON_FILE, answer, text);
}

static int ask_csv(void *context, const struct route_request *request, struct deferred *answer,
                   struct text *text)
{
    return show(context, request, RUNS_CSV_FILE, answer, text);
}

static int ask_trace(void *context, const struct route_request *request, struct deferred *answer,
                     struct text *text)
{
    return show(context, request, RUNS_TRACE_FILE, answer, text);
}

static int ask_map(void *context, const struct route_request *request, struct deferred *answer,
                   struct text *text)
{
    static const char *const known[] = {"start", "end", "columns", NULL};
    static const struct api_number columns = {"columns", 1, SCHEDULE_MAP_COLUMNS_MAX, 1000};
    const struct pages *pages = context;
    struct schedule_map_range range = {0};
    struct api_range span = {0};
    uint64_t id, n_columns = 0;
    int r = api_id_read(request->rest, "run", text, &id);

    if (r == 0)
        r = api_arguments_check(request->query, known, text);
    if (r == 0)
        r = api_span_read(request->query, text, &span);
    if (r == 0)
        r = api_number_read(request->query, &columns, text, &n_columns);
    if (r < 0)
        return r;
    range = (struct schedule_map_range){span.start_ns, span.end_ns, (size_t)n_columns};
    return runs_ask_map(pages->sources.runs, pages->sources.history, id, &range, answer, text);
}

static int next_points(void *context, const struct route_request *request, uint64_t *cursor,
                       struct text *text)
{
    const struct pages *pages = context;
    uint64_t id;
    int r = api_id_read(request->rest, "run", text, &id);

    return r < 0 ? r : runs_stream(pages->sources.runs, id, cursor, text);
}

static int ask_stop(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    const struct pages *pages = context;
    uint64_t id;
    int r = api_id_read(request->rest, "run", text, &id);

    if (r < 0)
        return r;
    /* One that has ended by itself meanwhile is what was wanted, and is shown all the same. */
    runs_end(pages->sources.runs, id, false);
    return runs_ask_show(pages->sources.runs, pages->sources.history, id, RUNS_JSON, answer, text);
}

static int ask_rename(void *context, const struct route_request *request, struct deferred *answer,
                      struct text *text)
{
    const struct pages *pages = context;
    struct run_rename rename = {0};
    uint64_t id;
    int r = api_id_read(request->rest, "run", text, &id);

    if (r == 0)
        r = run_rename_parse(request->body, request->body_length, &rename, text);
    if (r == 0)
        r = runs_ask_rename(pages->sources.runs, pages->sources.history, id, &rename, answer, text);
    run_rename_done(&rename);
    return r;
}

static int ask_delete(void *context, const struct route_request *request, struct deferred *answer,
                      struct text *text)
{
    const struct pages *pages = context;
    uint64_t id;
    int r = api_id_read(request->rest, "run", text, &id);

    return r < 0 ? r
                 : runs_ask_delete(pages->sources.runs, pages->sources.history, id, answer, text);
}

static const struct route routes[] = {
    {.path = "/api/v1/runs", .ask = ask_list},
    {.path = "/api/v1/runs",
     .method = ROUTE_POST,
     .takes_body = RUN_REQUEST_BYTES,
     .restricted = true,
     .ask = ask_begin},
    {.path = "/api/v1/runs/given",
     .method = ROUTE_POST,
     .takes_body = RUN_IMPORTED_BYTES,
     .restricted = true,
     .ask = ask_keep},
    {.path = "/api/v1/runs/compare", .takes_query = true, .ask = ask_compare},
    {.path = "/api/v1/runs/", .has_rest = true, .ending = ".csv", .ask = ask_csv},
    {.path = "/api/v1/runs/", .has_rest = true, .ending = ".json", .ask = ask_json},
    {.path = "/api/v1/runs/", .has_rest = true, .ending = "/live", .next = next_points},
    {.path = "/api/v1/runs/", .has_rest = true, .ending = "/trace", .ask = ask_trace},
    {.path = "/api/v1/runs/",
     .has_rest = true,
     .ending = "/map",
     .takes_query = true,
     .ask = ask_map},
    {.path = "/api/v1/runs/",
     .has_rest = true,
     .ending = "/stop",
     .method = ROUTE_POST,
     .restricted = true,
     .ask = ask_stop},
    {.path = "/api/v1/runs/", .has_rest = true, .ask = ask_show},
    {.path = "/api/v1/runs/",
     .has_rest = true,
     .method = ROUTE_POST,
     .takes_body = RUN_REQUEST_BYTES,
     .restricted = true,
     .ask = ask_rename},
    {.path = "/api/v1/runs/",
     .has_rest = true,
     .method = ROUTE_DELETE,
     .restricted = true,
     .ask = ask_delete},
};
const struct page_group runs_pages = {routes, ARRAY_SIZE(routes)};
