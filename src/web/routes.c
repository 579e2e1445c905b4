/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd calls the handler at least twice: when it has the headers, and when it has read the
 * body. An answer that is queued in the first call ends the connection, which is right for a
 * refusal and wrong for a scrape. So refusals are queued there, and everything else in the second
 * call.
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
    const struct route *route;
    struct query query;
};

/* Each route is either a page or a command, and has the path by which it is found. */
static bool is_complete(const struct route *route)
{
    const bool is_page = route->render && route->content_type;

    return route->path && route->path[0] == '/' && is_page != (route->command != NULL);
}

int site_init(struct site *site, const struct route_table *table,
              struct connection_table *connections)
{
    *site = (struct site){.connections = connections, .context = table->context};
    site->routes = calloc(table->n + 1, sizeof(*site->routes));
    if (!site->routes)
        return -ENOMEM;
    for (size_t i = 0; i < table->n; i++) {
        struct served_route *const served = &site->routes[site->n_routes++];

        served->route = &table->routes[i];
        if (!is_complete(served->route))
            return -EINVAL;
        body_store_init(&served->bodies, served->route, site->context, connections);
    }
    return answers_init(&site->answers);
}

void site_done(struct site *site)
{
    for (size_t i = 0; i < site->n_routes; i++)
        body_store_done(&site->routes[i].bodies);
    free(TAKE(site->routes));
    site->n_routes = 0;
    answers_done(&site->answers);
}

static enum MHD_Result queue(const struct request *request, enum answer which)
{
    return answers_queue(&request->site->answers, which, request->mhd);
}

/* Answers what a function of a route has refused, with the text in which it says why. */
static enum MHD_Result queue_refusal(const struct request *request, int error,
                                     const struct text *text)
{
    switch (error) {
    case -EAGAIN:
        return answers_queue_text(request->mhd, MHD_HTTP_SERVICE_UNAVAILABLE, text);
    case -EINVAL:
        return answers_queue_text(request->mhd, MHD_HTTP_BAD_REQUEST, text);
    case -ENOENT:
        return answers_queue_text(request->mhd, MHD_HTTP_NOT_FOUND, text);
    default:
        return queue(request, ANSWER_RENDER_FAILED);
    }
}

static enum MHD_Result answer_page(const struct request *request)
{
    struct body_store *const bodies = &request->connection->route->bodies;
    AUTO_TEXT struct text refusal = {0};
    struct body *body;
    int r;

    r = body_store_get(bodies, &request->query, &body, &refusal);
    if (r == -EBUSY)
        return queue(request, ANSWER_TOO_MANY_READERS);
    if (r < 0)
        return queue_refusal(request, r, &refusal);
    return body_queue(bodies, body, request->mhd, request->connection);
}

static enum MHD_Result answer_command(const struct request *request)
{
    struct site *const site = request->site;
    AUTO_TEXT struct text refusal = {0};
    struct control_request asked;
    int r;

    r = request->route->command(&request->query, &asked, &refusal);
    if (r < 0)
        return queue_refusal(request, r, &refusal);
    return control_routes_ask(&site->control, &site->answers, request->mhd, request->connection,
                              &asked);
}

static enum MHD_Result answer(struct request *request)
{
    const struct connection *const connection = request->connection;
    AUTO_QUERY struct query query = {0};

    if (!request->route)
        return queue(request, ANSWER_NOT_FOUND);
    if (control_routes_is_waiting(&request->site->control, request->mhd))
        return control_routes_answer(&request->site->control, &request->site->answers, request->mhd,
                                     request->connection);
    if (request->route->restricted && !connection->may_control)
        return queue(request, ANSWER_CONTROL_DISABLED);
    if (request->route->takes_query &&
        (!connection->query || query_parse(connection->query, &query) < 0))
        return queue(request, ANSWER_RENDER_FAILED); /* There is no memory. */
    request->query = query;
    return request->route->render ? answer_page(request) : answer_command(request);
}

static struct served_route *find_route(const struct site *site, const struct request_target *target)
{
    for (size_t i = 0; i < site->n_routes; i++) {
        struct served_route *const served = &site->routes[i];

        if (request_target_path_is(target, served->route->path) &&
            (served->route->render || site->control.slot))
            return served;
    }
    return NULL;
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *const info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info->socket_context;
}

/*
 * libmicrohttpd makes a record of each argument in the memory of the connection, and if they do not
 * fit it neither answers nor closes. So it does not get to see them.
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
    connection->route = asked->malformed ? NULL : find_route(site, &asked->target);
    free(TAKE(connection->query)); /* of a request that did not come to its end */
    if (connection->route && connection->route->route->takes_query)
        connection->query = strdup(asked->target.query.at);
    hide_query(text);
    request_head_shield(mhd);
    return NULL;
}

enum MHD_Result site_on_request(void *context, struct MHD_Connection *mhd, const char *path,
                                const char *method, const char *http_version, const char *upload,
                                size_t *upload_length, void **request_context)
{
    struct connection *const connection = connection_of(mhd);
    const struct route *const route = connection->route ? connection->route->route : NULL;
    struct request request = {context, mhd, connection, route, {0}};
    enum answer refusal;

    (void)path, (void)upload, (void)upload_length;
    if (*request_context)
        return answer(&request);
    *request_context = context;
    connection_enter(connection, CONNECTION_RESPONSE);
    refusal = request_refusal(mhd, &connection->asked, method, http_version,
                              route && route->command ? REQUEST_FOR_COMMAND : REQUEST_FOR_PAGE);
    return refusal == ANSWER_NONE ? MHD_YES : queue(&request, refusal);
}

void site_on_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                       enum MHD_RequestTerminationCode reason)
{
    struct site *const site = context;
    struct connection *const connection = connection_of(mhd);

    (void)reason, (void)request_context;
    connection->body = NULL;
    free(TAKE(connection->query));
    control_routes_completed(&site->control, mhd);
    connection_enter(connection, CONNECTION_IDLE);
}
