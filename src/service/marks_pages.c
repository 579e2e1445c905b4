/* SPDX-License-Identifier: Apache-2.0 */

/* Marks: named instants, which stand in every plot. */
#include <errno.h>

#include "base/clock.h"
#include "expose/history_json.h"
#include "service/api_arguments.h"
#include "service/history_work.h"
#include "service/mark_body.h"
#include "service/page_group.h"

static int work_list(struct history_store *store, const void *arguments, struct text *text)
{
    const struct api_range *const range = arguments;
    AUTO(history_marks) struct history_marks *marks = NULL;
    int r = history_store_list_marks(store, range->start_ns, range->end_ns, &marks);

    return r < 0 ? r : history_json_write_marks(marks, text);
}

/* Without a start or an end there is none: a mark may stand in the future. */
static int ask_list(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    static const char *const known[] = {"start", "end", NULL};
    const struct pages *pages = context;
    struct history_work work = {.work = work_list,
                                .free_arguments = free,
                                .is_question = true,
                                .content_type = CONTENT_JSON};
    AUTO_FREE struct api_range *range = calloc(1, sizeof(*range));
    int r = range ? api_arguments_check(request->query, known, text) : -ENOMEM;

    if (r >= 0)
        r = api_range_read(request->query, UINT64_MAX, text, range);
    if (r < 0)
        return r;
    if (!query_value(request->query, "end"))
        range->end_ns = INT64_MAX;
    work.arguments = TAKE(range);
    return history_work_submit(pages->sources.history, &work, answer, text);
}

static void free_mark(void *object)
{
    struct mark_body *const mark = object;

    free(mark->text);
    free(mark);
}

static int work_add(struct history_store *store, const void *arguments, struct text *text)
{
    const struct mark_body *const body = arguments;
    struct history_mark mark = {.time_ns = body->time_ns, .text = body->text};
    int r = history_store_add_mark(store, mark.time_ns, mark.text, &mark.id);

    if (r < 0)
        return r;
    history_json_append_mark(text, &mark);
    text_append_char(text, '\n');
    return 0;
}

static int ask_add(void *context, const struct route_request *request, struct deferred *answer,
                   struct text *text)
{
    const struct pages *pages = context;
    struct history_work work = {
        .work = work_add, .free_arguments = free_mark, .content_type = CONTENT_JSON};
    AUTO_FREE struct mark_body *mark = calloc(1, sizeof(*mark));
    int r = mark ? mark_body_parse(request->body, request->body_length, text, mark) : -ENOMEM;

    if (r < 0)
        return r;
    if (mark->time_ns == 0)
        mark->time_ns = clock_realtime_ns();
    work.arguments = TAKE(mark);
    return history_work_submit(pages->sources.history, &work, answer, text);
}

static int work_delete(struct history_store *store, const void *arguments, struct text *text)
{
    const uint64_t id = *(const uint64_t *)arguments;
    int r = history_store_delete_mark(store, id);

    if (r == -ENOENT)
        text_append_format(text, "there is no mark %llu", (unsigned long long)id);
    else if (r >= 0)
        text_append_format(text, "{\"id\":%llu}\n", (unsigned long long)id);
    return r;
}

static int ask_delete(void *context, const struct route_request *request, struct deferred *answer,
                      struct text *text)
{
    const struct pages *pages = context;
    struct history_work work = {
        .work = work_delete, .free_arguments = free, .content_type = CONTENT_JSON};
    AUTO_FREE uint64_t *id = calloc(1, sizeof(*id));
    int r = id ? api_id_read(request->rest, "mark", text, id) : -ENOMEM;

    if (r < 0)
        return r;
    work.arguments = TAKE(id);
    return history_work_submit(pages->sources.history, &work, answer, text);
}

static const struct route routes[] = {
    {.path = "/api/v1/marks", .takes_query = true, .ask = ask_list},
    {.path = "/api/v1/marks",
     .method = ROUTE_POST,
     .restricted = true,
     .takes_body = MARK_BODY_MAX,
     .ask = ask_add},
    {.path = "/api/v1/marks/",
     .has_rest = true,
     .method = ROUTE_DELETE,
     .restricted = true,
     .ask = ask_delete},
};
const struct page_group marks_pages = {routes, ARRAY_SIZE(routes)};
