/* SPDX-License-Identifier: Apache-2.0 */

/* The past: /api/v1/history, as JSON and CSV, which targets it has, and on which CPUs they ran. */
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "expose/history_json.h"
#include "service/api_arguments.h"
#include "service/history_work.h"
#include "service/page_group.h"

#define CONTENT_CSV   "text/csv; charset=utf-8"
#define USUAL_NS      (3600 * NS_PER_SECOND)
#define SHORTEST_CPUS (10 * NS_PER_SECOND) /* the step at which CPU times are kept */

/*
 * The most numbers of one answer, which takes some 20 MB of memory while it is under way. Where
 * memory is limited, it may take what the history in memory may.
 */
#define NUMBERS_MAX      ((size_t)1000000)
#define BYTES_PER_NUMBER 20

struct history_arguments {
    struct api_names targets, columns;
    struct api_range range;
    uint64_t points;
};

static void free_arguments(void *object)
{
    struct history_arguments *const arguments = object;

    if (!arguments)
        return;
    api_names_done(&arguments->targets);
    api_names_done(&arguments->columns);
    free(arguments);
}

static void cleanup_arguments(struct history_arguments **arguments)
{
    free_arguments(*arguments);
}
#define AUTO_ARGUMENTS __attribute__((cleanup(cleanup_arguments)))

static int check_targets(const struct api_names *targets, size_t most, struct text *text)
{
    AUTO_FREE struct target_filter *filters = NULL;

    if (targets->n == 0 || targets->n > most) {
        text_append_format(text, "expected %s?target= with " TARGET_FILTER_EXPECTED,
                           most == 1 ? "one " : "");
        return -EINVAL;
    }
    return api_targets_parse(targets, text, &filters);
}

/* Which arguments a route takes. */
struct history_form {
    const char *const *known;
    size_t targets_max; /* 0: it takes none */
    struct api_number points;
};

static int read_arguments(const struct query *query, const struct history_form *form,
                          struct text *text, struct history_arguments **ret_arguments)
{
    AUTO_ARGUMENTS struct history_arguments *arguments = calloc(1, sizeof(*arguments));
    int r = arguments ? api_arguments_check(query, form->known, text) : -ENOMEM;

    if (r >= 0)
        r = api_names_read(query, "target", text, &arguments->targets);
    if (r >= 0 && form->targets_max > 0)
        r = check_targets(&arguments->targets, form->targets_max, text);
    if (r >= 0)
        r = api_names_read(query, "column", text, &arguments->columns);
    if (r >= 0)
        r = api_range_read(query, USUAL_NS, text, &arguments->range);
    if (r >= 0)
        r = api_number_read(query, &form->points, text, &arguments->points);
    if (r >= 0)
        *ret_arguments = TAKE(arguments);
    return r;
}

static int ask(const struct pages *pages, const struct route_request *request,
               const struct history_form *form, struct history_work *work, struct deferred *answer,
               struct text *text)
{
    struct history_arguments *arguments;
    int r = read_arguments(request->query, form, text, &arguments);

    if (r < 0)
        return r;
    work->is_question = true;
    work->arguments = arguments;
    work->free_arguments = free_arguments;
    return history_work_submit(pages->sources.history, work, answer, text);
}

/* The answers to all targets of a request. */
struct history_parts {
    struct history_part *parts;
    size_t n, n_numbers;
};

static void parts_done(struct history_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        (void)history_answer_free(parts->parts[i].answer);
    free(TAKE(parts->parts));
}
#define AUTO_PARTS __attribute__((cleanup(parts_done)))

/*
 * Asks about one target more. One that is not known leaves its part empty: targets are born and
 * forgotten while somebody who has listed them asks.
 */
static int add_part(struct history_store *store, const struct history_query *query,
                    struct history_parts *parts)
{
    struct history_part *const part = &parts->parts[parts->n++];
    int r;

    *part = (struct history_part){.target = query->target};
    r = history_store_query(store, query, &part->answer);
    if (r == -ENOENT)
        return 0;
    if (r < 0)
        return r;
    parts->n_numbers += part->answer->n_times * (part->answer->n_series + 1);
    return 0;
}

static size_t most_numbers(const struct history_store *store)
{
    const uint64_t most = history_store_memory(store) / BYTES_PER_NUMBER;

    return most && most < NUMBERS_MAX ? (size_t)most : NUMBERS_MAX;
}

static int refuse_size(const struct history_store *store, struct text *text)
{
    text_append_format(text, "more than %zu numbers; ask for fewer targets, columns or points",
                       most_numbers(store));
    return -EINVAL;
}

static int read_parts(struct history_store *store, const struct history_arguments *arguments,
                      uint64_t step_ns, struct history_parts *parts, struct text *text)
{
    struct history_query query = {
        .start_ns = arguments->range.start_ns,
        .end_ns = arguments->range.end_ns,
        .step_ns = step_ns,
        .columns = (const char *const *)arguments->columns.names,
        .n_columns = arguments->columns.n,
    };
    int r = 0;

    parts->parts = calloc(arguments->targets.n, sizeof(*parts->parts));
    if (!parts->parts)
        return -ENOMEM;
    for (size_t i = 0; i < arguments->targets.n && r >= 0; i++) {
        history_store_catch_up(store);
        query.target = arguments->targets.names[i];
        r = add_part(store, &query, parts);
        if (r >= 0 && parts->n_numbers > most_numbers(store))
            return refuse_size(store, text);
    }
    return r;
}

static int write_history(struct history_store *store, const struct history_arguments *arguments,
                         int (*write)(const struct history_page *page, struct text *text),
                         struct text *text)
{
    const struct api_range *range = &arguments->range;
    struct history_parts parts AUTO_PARTS = {0};
    struct history_page page = {.start_ns = range->start_ns, .end_ns = range->end_ns};
    int r;

    page.step_ns =
        history_store_step_ns(store, range->start_ns, range->end_ns, (size_t)arguments->points);
    r = read_parts(store, arguments, page.step_ns, &parts, text);
    if (r < 0)
        return r;
    page.parts = parts.parts;
    page.n_parts = parts.n;
    return write(&page, text);
}

static int work_json(struct history_store *store, const void *arguments, struct text *text)
{
    return write_history(store, arguments, history_json_write, text);
}

static int work_csv(struct history_store *store, const void *arguments, struct text *text)
{
    return write_history(store, arguments, history_csv_write, text);
}

static int work_targets(struct history_store *store, const void *object, struct text *text)
{
    const struct history_arguments *const arguments = object;
    AUTO(history_targets) struct history_targets *targets = NULL;
    int r =
        history_store_targets(store, arguments->range.start_ns, arguments->range.end_ns, &targets);

    return r < 0 ? r : history_json_write_targets(targets, text);
}

static int work_cpus(struct history_store *store, const void *object, struct text *text)
{
    const struct history_arguments *const arguments = object;
    const struct api_range *range = &arguments->range;
    const uint64_t step_ns =
        history_store_step_ns(store, range->start_ns, range->end_ns, (size_t)arguments->points);
    const char *const target = arguments->targets.names[0];
    const struct history_cpus none = {.step_ns = SHORTEST_CPUS};
    AUTO(history_cpus) struct history_cpus *cpus = NULL;
    int r = history_store_cpus(store, target, range->start_ns, range->end_ns,
                               step_ns > SHORTEST_CPUS ? step_ns : SHORTEST_CPUS, &cpus);

    if (r == -ENOENT)
        return history_json_write_cpus(target, &none, text);
    if (r < 0)
        return r;
    return cpus->n_cpus * cpus->n_times > most_numbers(store)
               ? refuse_size(store, text)
               : history_json_write_cpus(target, cpus, text);
}

static const struct history_form form_of_numbers = {
    (const char *const[]){"target", "column", "start", "end", "points", NULL},
    API_NAMES_MAX,
    {"points", 1, 10000, 1000}};
static const struct history_form form_of_targets = {
    (const char *const[]){"start", "end", NULL}, 0, {"points", 1, 1, 1}};
static const struct history_form form_of_cpus = {
    (const char *const[]){"target", "start", "end", "points", NULL}, 1, {"points", 1, 2000, 360}};

static int ask_json(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    struct history_work work = {.work = work_json, .content_type = CONTENT_JSON};

    return ask(context, request, &form_of_numbers, &work, answer, text);
}

static int ask_csv(void *context, const struct route_request *request, struct deferred *answer,
                   struct text *text)
{
    struct history_work work = {
        .work = work_csv, .content_type = CONTENT_CSV, .file_name = "history.csv"};

    return ask(context, request, &form_of_numbers, &work, answer, text);
}

static int ask_targets(void *context, const struct route_request *request, struct deferred *answer,
                       struct text *text)
{
    struct history_work work = {.work = work_targets, .content_type = CONTENT_JSON};

    return ask(context, request, &form_of_targets, &work, answer, text);
}

static int ask_cpus(void *context, const struct route_request *request, struct deferred *answer,
                    struct text *text)
{
    struct history_work work = {.work = work_cpus, .content_type = CONTENT_JSON};

    return ask(context, request, &form_of_cpus, &work, answer, text);
}

static const struct route routes[] = {
    {.path = "/api/v1/history", .takes_query = true, .ask = ask_json},
    {.path = "/api/v1/history.csv", .takes_query = true, .ask = ask_csv},
    {.path = "/api/v1/history/targets", .takes_query = true, .ask = ask_targets},
    {.path = "/api/v1/history/cpus", .takes_query = true, .ask = ask_cpus},
};
const struct page_group history_pages = {routes, ARRAY_SIZE(routes)};
