/* SPDX-License-Identifier: Apache-2.0 */

/* The numbers of now: /api/v1/targets once, /api/v1/live after each cycle. */
#include "expose/targets_json.h"
#include "service/api_arguments.h"
#include "service/page_group.h"

static uint64_t version_of_targets(void *context)
{
    const struct pages *pages = context;

    return current_snapshot_version(&pages->metrics.current);
}

static int write_chosen(const struct pages *pages, const struct snapshot *snapshot,
                        const struct api_names *targets, const struct api_names *columns,
                        struct text *text)
{
    AUTO_FREE struct target_filter *filters = NULL;
    int r = api_targets_parse(targets, text, &filters);

    if (r < 0)
        return r;
    return current_snapshot_write_targets(
        &pages->metrics.current, snapshot,
        &(struct targets_selection){filters, targets->n, (const char *const *)columns->names,
                                    columns->n},
        text);
}

/* `is_first`: it is the first that the client gets, and what it asks for is judged by it. */
static int write_targets(const struct pages *pages, const struct snapshot *snapshot,
                         const struct query *query, bool is_first, struct text *text)
{
    static const char *const known[] = {"target", "column", NULL};
    struct api_names targets AUTO_API_NAMES = {0}, columns AUTO_API_NAMES = {0};
    int r = api_arguments_check(query, known, text);

    if (r >= 0)
        r = api_names_read(query, "target", text, &targets);
    if (r >= 0)
        r = api_names_read(query, "column", text, &columns);
    if (r >= 0 && is_first)
        r = api_columns_check(&columns, snapshot->roster->catalogue, text);
    return r < 0 ? r : write_chosen(pages, snapshot, &targets, &columns, text);
}

static int render_targets(void *context, const struct route_request *request, size_t form,
                          struct text *text)
{
    const struct pages *pages = context;
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    int r = current_snapshot_take(&pages->metrics.current, text, &snapshot);

    (void)form;
    return r < 0 ? r : write_targets(pages, snapshot, request->query, true, text);
}

/* Appends a text as the data of an event: each of its lines is one of the event. */
static void append_data(struct text *text, const struct text *data)
{
    const char *line = data->data, *const end = data->data + data->length;

    while (line < end) {
        const char *const feed = memchr(line, '\n', (size_t)(end - line));
        const char *const stop = feed ? feed : end;

        text_append_string(text, "data: ");
        text_append(text, line, (size_t)(stop - line));
        text_append_char(text, '\n');
        line = stop + 1;
    }
}

/*
 * Before the first cycle there is nothing to tell yet, and the client waits for it. A column that
 * goes with a reload ends no stream: it is absent, and may come back.
 */
static int next_snapshot(void *context, const struct route_request *request, uint64_t *cursor,
                         struct text *text)
{
    const struct pages *pages = context;
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(pages->sources.slot);
    AUTO_TEXT struct text data = {0};
    int r;

    if (!snapshot || snapshot->sequence == *cursor)
        return 0;
    r = write_targets(pages, snapshot, request->query, *cursor == 0, &data);
    if (r < 0) {
        text_append(text, data.data, data.length);
        return r;
    }
    text_append_format(text, "event: snapshot\nid: %llu\n", (unsigned long long)snapshot->sequence);
    append_data(text, &data);
    text_append_char(text, '\n');
    *cursor = snapshot->sequence;
    return text_error(text);
}

static const struct route routes[] = {
    {.path = "/api/v1/targets",
     .takes_query = true,
     .content_type = TARGETS_JSON_CONTENT_TYPE,
     .version = version_of_targets,
     .render = render_targets},
    {.path = "/api/v1/live", .takes_query = true, .next = next_snapshot},
};
const struct page_group targets_pages = {routes, ARRAY_SIZE(routes)};
