/* SPDX-License-Identifier: Apache-2.0 */
#include "web/answering.h"

#include <errno.h>
#include <stdlib.h>

#include "web/reply.h"

enum MHD_Result answering_queue(const struct request *request, enum answer which)
{
    return answers_queue(&request->site->answers, which, request->connection->exchange.in_api,
                         request->mhd);
}

/* What functions of a route return. */
static const struct {
    int error;
    unsigned status;
} refusals[] = {
    {-EAGAIN, MHD_HTTP_SERVICE_UNAVAILABLE}, {-EINVAL, MHD_HTTP_BAD_REQUEST},
    {-ENOENT, MHD_HTTP_NOT_FOUND},           {-EPERM, MHD_HTTP_FORBIDDEN},
    {-EBUSY, MHD_HTTP_TOO_MANY_REQUESTS},
};

/* Answers what a function of a route has refused, with the text in which it says why. */
static enum MHD_Result queue_refusal(const struct request *request, int error, struct text *text)
{
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
        if (refusals[i].error == error)
            return reply_queue_error(request->mhd, &(struct reply){.status = refusals[i].status},
                                     request->connection->exchange.in_api, text);
    return answering_queue(request, ANSWER_RENDER_FAILED);
}

static struct route_request asked_of(const struct request *request)
{
    const struct exchange *const exchange = &request->connection->exchange;
    const struct text *const upload = &exchange->upload;

    return (struct route_request){
        .query = &request->query,
        .rest = exchange->rest,
        .body = upload->length > 0 ? upload->data : "",
        .body_length = upload->length,
        .may_control = request->connection->may_control,
    };
}

static const char *header_of(const struct request *request, const char *name)
{
    return MHD_lookup_connection_value(request->mhd, MHD_HEADER_KIND, name);
}

static enum MHD_Result answer_page(struct request *request)
{
    const struct route *const route = request->route;
    struct body_store *const bodies = &request->connection->exchange.line->bodies;
    const struct route_request asked = asked_of(request);
    struct negotiated negotiated = {0};
    AUTO_TEXT struct text refusal = {0};
    struct body *body;
    int r;

    if (route->version &&
        !connection_table_may_read(request->site->connections, request->connection))
        return answering_queue(request, ANSWER_TOO_MANY_SCRAPES);
    if (route->n_forms > 0)
        negotiate_form_again(&request->site->negotiations,
                             header_of(request, MHD_HTTP_HEADER_ACCEPT), route->forms,
                             route->n_forms, &negotiated);
    r = body_store_get(bodies, &asked, negotiated.form, &body, &refusal);
    if (r == -EBUSY && refusal.length == 0)
        return answering_queue(request, ANSWER_TOO_MANY_READERS);
    if (r < 0)
        return queue_refusal(request, r, &refusal);
    return body_queue(bodies, body, negotiated.escaping, request->mhd, request->connection);
}

static enum MHD_Result answer_command(struct request *request)
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

/* A longer text is sent as it is: to compress it would hold up everybody else. */
#define COMPRESSED_MOST ((size_t)1024 * 1024)

static enum MHD_Result queue_deferred(const struct request *request, struct deferred_result *result)
{
    const struct reply reply = {
        .status = MHD_HTTP_OK,
        .content_type = result->content_type,
        .file_name = result->file_name,
        .compression = result->text.length <= COMPRESSED_MOST &&
                               negotiate_gzip(header_of(request, MHD_HTTP_HEADER_ACCEPT_ENCODING))
                           ? &request->site->compression
                           : NULL,
        .varies = true,
    };

    if (result->late)
        return answering_queue(request, ANSWER_LATE);
    if (result->error < 0)
        return queue_refusal(request, result->error, &result->text);
    if (text_error(&result->text) < 0)
        return answering_queue(request, ANSWER_RENDER_FAILED);
    if (!connection_table_lend(request->site->connections, request->connection,
                               result->text.length))
        return answering_queue(request, ANSWER_TOO_MANY_READERS);
    return reply_queue_text(request->mhd, &reply, &result->text);
}

/* Sends the answer if it is there; otherwise the handler is called again when it is. */
static enum MHD_Result answer_deferred(const struct request *request)
{
    struct connection *const connection = request->connection;
    struct deferred_result deferred;
    enum MHD_Result result;

    connection->awaits_us = !deferred_is_there(connection->exchange.deferred);
    if (connection->awaits_us)
        return MHD_YES;
    connection_enter(connection, CONNECTION_RESPONSE);
    deferred_take(connection->exchange.deferred, &deferred);
    deferred_leave(TAKE(connection->exchange.deferred));
    result = queue_deferred(request, &deferred);
    text_done(&deferred.text);
    free(deferred.file_name);
    return result;
}

static enum MHD_Result answer_question(struct request *request)
{
    struct exchange *const exchange = &request->connection->exchange;
    const struct route_request asked = asked_of(request);
    AUTO_TEXT struct text refusal = {0};
    int r;

    r = deferred_new(&request->site->desk, request->connection, request->mhd, &exchange->deferred);
    if (r < 0)
        return answering_queue(request, r == -EBUSY ? ANSWER_TOO_MANY_WAIT : ANSWER_RENDER_FAILED);
    r = request->route->ask(request->site->context, &asked, exchange->deferred, &refusal);
    if (r >= 0)
        return answer_deferred(request);
    deferred_withdraw(exchange->deferred);
    deferred_leave(TAKE(exchange->deferred));
    return queue_refusal(request, r, &refusal);
}

static enum MHD_Result answer_stream(struct request *request)
{
    AUTO_TEXT struct text refusal = {0};
    enum MHD_Result result;
    int r;

    r = stream_begin(&request->site->streams, request->route, request->connection, request->mhd,
                     &request->query, &result, &refusal);
    if (r == -EBUSY && refusal.length == 0)
        return answering_queue(request, ANSWER_TOO_MANY_STREAMS);
    return r < 0 ? queue_refusal(request, r, &refusal) : result;
}

static enum MHD_Result answer_by_line(struct request *request)
{
    const struct route *const route = request->route;

    if (route->render)
        return answer_page(request);
    if (route->command)
        return answer_command(request);
    return route->ask ? answer_question(request) : answer_stream(request);
}

/* The body of a request ends with a NUL, which is no part of it. */
static bool end_upload(struct text *upload)
{
    if (upload->length == 0)
        return text_error(upload) == 0;
    text_append_char(upload, '\0');
    upload->length--;
    return text_error(upload) == 0;
}

bool answering_is_forbidden(const struct route *route, const struct connection *connection)
{
    return (route->restricted || route->takes_body > 0) && !connection->may_control;
}

enum MHD_Result answering_answer(struct request *request)
{
    struct exchange *const exchange = &request->connection->exchange;
    enum MHD_Result result;

    if (!request->route)
        return answering_queue(request, ANSWER_NOT_FOUND);
    if (control_routes_is_waiting(&request->site->control, request->mhd))
        return control_routes_answer(&request->site->control, &request->site->answers, request->mhd,
                                     request->connection);
    if (exchange->deferred)
        return answer_deferred(request);
    if (answering_is_forbidden(request->route, request->connection))
        return answering_queue(request, ANSWER_CONTROL_DISABLED);
    if (exchange->upload_is_too_long)
        return answering_queue(request, ANSWER_BODY_TOO_LONG);
    if (!end_upload(&exchange->upload) ||
        (request->route->takes_query &&
         (!exchange->query || query_parse(exchange->query, &request->query) < 0)))
        return answering_queue(request, ANSWER_RENDER_FAILED); /* There is no memory. */
    result = answer_by_line(request);
    query_done(&request->query);
    return result;
}
