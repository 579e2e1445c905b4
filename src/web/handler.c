/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd calls the handler at least twice: when it has the headers, and when it has read the
 * body. An answer that is queued in the first call ends the connection, which is right for a
 * refusal and wrong for a scrape. So refusals are queued there, and everything else in the second
 * call.
 */
#include "web/handler.h"

#include <stdlib.h>
#include <string.h>

#include "web/answering.h"
#include "web/reply.h"
#include "web/request.h"
#include "web/request_head.h"
#include "web/site.h"

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

void *handler_on_target(void *context, const char *text, struct MHD_Connection *mhd)
{
    const struct site *const site = context;
    struct connection *const connection = connection_of(mhd);
    struct exchange *const exchange = &connection->exchange;
    struct asked *const asked = &exchange->asked;
    struct path_found found = {0};

    if (connection->phase == CONNECTION_IDLE)
        connection_enter(connection, CONNECTION_HEADERS);
    exchange_done(exchange); /* of a request that did not come to its end */
    *asked = (struct asked){.text = text, .length = strlen(text)};
    asked->malformed = request_target_parse(text, &asked->target) < 0;
    exchange->in_api = !asked->malformed && request_target_is_below(&asked->target, "/api/");
    if (!asked->malformed)
        routing_find(&site->routing, exchange, &found);
    if (found.takes_query)
        exchange->query = strdup(asked->target.query.at);
    hide_query(text);
    request_head_shield(mhd, found.takes_body);
    return NULL;
}

/* There are pages at any path, to who asks for something else where nothing is. */
static enum MHD_Result refuse_method(const struct request *request, unsigned allowed)
{
    AUTO_TEXT struct text text = {0};
    char names[64];

    methods_write(allowed ? allowed : METHOD_GET | METHOD_HEAD, &text);
    if (text_error(&text) < 0 || text.length >= sizeof(names))
        return MHD_NO;
    (void)memcpy(names, text.data, text.length);
    names[text.length] = '\0';
    text_clear(&text);
    text_append_format(&text, "only %s are answered here\n", names);
    return reply_queue_error(
        request->mhd,
        &(struct reply){.status = MHD_HTTP_METHOD_NOT_ALLOWED, .allow = names, .close = true},
        request->connection->exchange.in_api, &text);
}

/* Looks at the head of a request. What is refused here is the last on its connection. */
static enum MHD_Result begin(struct request *request, const char *name, const char *http_version)
{
    struct connection *const connection = request->connection;
    struct exchange *const exchange = &connection->exchange;
    const unsigned method = method_of(name);
    unsigned allowed = 0;
    struct request_rights rights;
    enum answer refusal;

    if (!exchange->asked.malformed)
        allowed = routing_choose(&request->site->routing, exchange, method);
    request->route = exchange->line ? exchange->line->route : NULL;
    rights = (struct request_rights){
        .is_known = method != 0,
        .is_allowed =
            allowed ? (allowed & method) != 0 : (method & (METHOD_GET | METHOD_HEAD)) != 0,
        .changes = (method & (METHOD_GET | METHOD_HEAD)) == 0,
        .is_forbidden = request->route && answering_is_forbidden(request->route, connection),
        .takes_body = request->route ? request->route->takes_body : 0,
    };
    refusal = request_refusal(request->mhd, &exchange->asked, name, http_version, &rights);
    if (rights.takes_body == 0 || refusal != ANSWER_NONE)
        connection_enter(connection, CONNECTION_RESPONSE);
    if (refusal == ANSWER_METHOD)
        return refuse_method(request, allowed);
    if (refusal == ANSWER_NONE)
        refusal = gate_ask(&request->site->gate, request->mhd, connection);
    return refusal == ANSWER_NONE ? MHD_YES : answering_queue(request, refusal);
}

/* Goes on to the body of the request, if the password was right. */
static enum MHD_Result leave_gate(const struct request *request)
{
    const enum answer refusal = gate_leave(request->connection);

    return refusal == ANSWER_NONE ? MHD_YES : answering_queue(request, refusal);
}

enum MHD_Result handler_on_request(void *context, struct MHD_Connection *mhd, const char *path,
                                   const char *method, const char *http_version, const char *upload,
                                   size_t *upload_length, void **request_context)
{
    struct connection *const connection = connection_of(mhd);
    struct exchange *const exchange = &connection->exchange;
    const struct route *const route = exchange->line ? exchange->line->route : NULL;
    struct request request = {context, mhd, connection, route, {0}};

    (void)path;
    if (!*request_context) {
        *request_context = context;
        return begin(&request, method, http_version);
    }
    if (connection->at_gate)
        return leave_gate(&request);
    if (*upload_length > 0) {
        exchange_take_upload(exchange, upload, *upload_length, route ? route->takes_body : 0);
        *upload_length = 0;
        return MHD_YES;
    }
    if (connection->phase != CONNECTION_RESPONSE)
        connection_enter(connection, CONNECTION_RESPONSE);
    return answering_answer(&request);
}

void handler_on_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                          enum MHD_RequestTerminationCode reason)
{
    struct site *const site = context;
    struct connection *const connection = connection_of(mhd);

    (void)reason, (void)request_context;
    connection->body = NULL;
    connection->answer_bytes = 0;
    exchange_done(&connection->exchange);
    control_routes_completed(&site->control, mhd);
    connection_enter(connection, CONNECTION_IDLE);
}
