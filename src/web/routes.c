/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd calls the handler at least twice: with the headers, and when the
 * body has been read. An answer that is queued in the first call ends the
 * connection, which is right for a refusal and wrong for a scrape; so refusals are
 * queued there, and everything else in the second.
 */
#include "web/routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "web/request.h"
#include "web/request_head.h"

struct request {
    struct site *site;
    struct MHD_Connection *mhd;
    struct connection *connection;
};

struct route {
    const char *path;
    enum request_kind kind;
    enum MHD_Result (*answer)(const struct request *request);
};

int site_init(struct site *site, const char *telemetry_path, const struct page_source *metrics,
              struct connection_table *connections)
{
    int r;

    *site = (struct site){.connections = connections};
    r = answers_init(&site->answers, telemetry_path);
    if (r < 0)
        return r;
    body_store_init(&site->bodies, metrics, connections);
    site->telemetry_path = strdup(telemetry_path);
    return site->telemetry_path ? 0 : -ENOMEM;
}

void site_done(struct site *site)
{
    body_store_done(&site->bodies);
    answers_done(&site->answers);
    free(TAKE(site->telemetry_path));
}

static enum MHD_Result queue(const struct request *request, enum answer which)
{
    return answers_queue(&request->site->answers, which, request->mhd);
}

static enum MHD_Result queue_not_ready(const struct request *request, const char *reason)
{
    AUTO_TEXT struct text text = {0};

    text_append_string(&text, "not ready: ");
    text_append_string(&text, reason);
    text_append_char(&text, '\n');
    return answers_queue_text(request->mhd, MHD_HTTP_SERVICE_UNAVAILABLE, &text);
}

static enum MHD_Result answer_metrics(const struct request *request)
{
    struct body_store *const bodies = &request->site->bodies;
    struct body *body;
    int r;

    r = body_store_get(bodies, &body);
    if (r == -EBUSY)
        return queue(request, ANSWER_TOO_MANY_READERS);
    if (r == -EAGAIN)
        return queue_not_ready(request, "there are no numbers yet");
    if (r < 0)
        return queue(request, ANSWER_RENDER_FAILED);
    return body_queue(bodies, body, request->mhd, request->connection);
}

static enum MHD_Result answer_landing_page(const struct request *request)
{
    return queue(request, ANSWER_LANDING_PAGE);
}

static enum MHD_Result answer_healthy(const struct request *request)
{
    return queue(request, ANSWER_HEALTHY);
}

static enum MHD_Result answer_ready(const struct request *request)
{
    const struct page_source *const source = &request->site->bodies.source;
    const char *const reason = source->not_ready(source->context);

    return reason ? queue_not_ready(request, reason) : queue(request, ANSWER_READY);
}

static enum MHD_Result answer_not_found(const struct request *request)
{
    return queue(request, ANSWER_NOT_FOUND);
}

static enum MHD_Result answer_reload(const struct request *request)
{
    return control_routes_answer(&request->site->control, &request->site->answers, request->mhd,
                                 request->connection, CONTROL_RELOAD);
}

static enum MHD_Result answer_pause(const struct request *request)
{
    return control_routes_answer(&request->site->control, &request->site->answers, request->mhd,
                                 request->connection, CONTROL_PAUSE);
}

static const struct route metrics_route = {NULL, REQUEST_TO_SHOW, answer_metrics};
static const struct route no_route = {NULL, REQUEST_TO_SHOW, answer_not_found};
static const struct route routes[] = {
    {.path = "/", .kind = REQUEST_TO_SHOW, .answer = answer_landing_page},
    {.path = "/-/healthy", .kind = REQUEST_TO_SHOW, .answer = answer_healthy},
    {.path = "/-/ready", .kind = REQUEST_TO_SHOW, .answer = answer_ready},
    {.path = "/-/reload", .kind = REQUEST_TO_DO, .answer = answer_reload},
    {.path = "/-/pause", .kind = REQUEST_TO_DO, .answer = answer_pause},
};

/* The telemetry path comes first: who serves it at "/" wants no landing page. */
static const struct route *find_route(const struct site *site, const struct request_target *target)
{
    if (request_target_path_is(target, site->telemetry_path))
        return &metrics_route;
    for (size_t i = 0; i < ARRAY_SIZE(routes); i++)
        if (request_target_path_is(target, routes[i].path) &&
            (routes[i].kind == REQUEST_TO_SHOW || site->control.slot))
            return &routes[i];
    return &no_route;
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *const info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info->socket_context;
}

/*
 * libmicrohttpd makes a record of each argument in the memory of the connection, and where
 * they do not fit it neither answers nor closes. So it gets none to see.
 */
static void hide_query(const char *text)
{
    const char *const question_mark = strchr(text, '?');

    if (question_mark)
        *(char *)(uintptr_t)(question_mark + 1) = '\0';
}

void *site_on_target(void *context, const char *text, struct MHD_Connection *mhd)
{
    const struct site *const site = context;
    struct connection *const connection = connection_of(mhd);
    struct asked *const asked = &connection->asked;

    if (connection->phase == CONNECTION_IDLE)
        connection_enter(connection, CONNECTION_HEADERS);
    *asked = (struct asked){.text = text, .length = strlen(text)};
    asked->malformed = request_target_parse(text, &asked->target) < 0;
    connection->route = asked->malformed ? &no_route : find_route(site, &asked->target);
    if (connection->route->kind == REQUEST_TO_DO)
        (void)request_target_argument(&asked->target, "duration", connection->duration,
                                      sizeof(connection->duration));
    hide_query(text);
    request_head_shield(mhd);
    return NULL;
}

enum MHD_Result site_on_request(void *context, struct MHD_Connection *mhd, const char *path,
                                const char *method, const char *http_version, const char *upload,
                                size_t *upload_length, void **request_context)
{
    struct site *const site = context;
    const struct request request = {site, mhd, connection_of(mhd)};
    const struct route *const route = request.connection->route;
    enum answer refusal;

    (void)path, (void)upload, (void)upload_length;
    if (*request_context)
        return route->answer(&request);
    *request_context = site;
    connection_enter(request.connection, CONNECTION_RESPONSE);
    refusal = request_refusal(mhd, &request.connection->asked, method, http_version, route->kind);
    return refusal == ANSWER_NONE ? MHD_YES : queue(&request, refusal);
}

void site_on_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                       enum MHD_RequestTerminationCode reason)
{
    struct site *const site = context;
    struct connection *const connection = connection_of(mhd);

    (void)reason, (void)request_context;
    connection->body = NULL;
    control_routes_completed(&site->control, mhd);
    connection_enter(connection, CONNECTION_IDLE);
}
