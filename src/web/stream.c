/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client is asked for more (route->next) only when it has taken all that was written for it
 * before, so a slow one skips events where the route lets it, and at most one text waits for each.
 * Clients that stand at the same place of the same stream share the text: it is written once for
 * all of them. Who does not take its text in the time that a response has is cut by
 * connection_table_expire(); and if all texts together are too large, who has waited longest is.
 *
 * A connection without anything to send is suspended. libmicrohttpd then does not see that its
 * client leaves, so the tick looks.
 */
#include "web/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "web/peer.h"
#include "web/reply.h"

#define BLOCK_SIZE 32768

/* A comment: a client ignores it. It also brings the headers out at once. */
static const char keep_alive[] = ":\n\n";

/* Events that were written for everybody who stood at one place. */
struct portion {
    unsigned n_owners;
    struct text text;
    uint64_t from, to; /* the cursor before and after them */
    uint64_t news;     /* they were written after so many news */
};

struct stream {
    struct stream_table *table;
    struct stream *next, *previous;
    const struct route *route;
    struct MHD_Connection *mhd;
    struct connection *connection;
    struct query query;
    char *arguments; /* as they were sent, by which streams that are alike are found */
    char *rest;
    uint64_t cursor;
    uint64_t news;           /* next() was called after so many news */
    struct portion *portion; /* It is being sent; NULL: nothing is. */
    size_t sent;             /* So many bytes of the portion. */
    size_t comment;          /* So many bytes of keep_alive are still to be sent. */
    uint64_t since_ns;       /* Something was sent at this time. */
    bool suspended;
    bool ended; /* The response ends when what was written is sent. */
    bool gone;  /* The client has left, or is too slow. */
};

static struct portion *portion_unref(struct stream_table *table, struct portion *portion)
{
    if (portion && --portion->n_owners == 0) {
        table->bytes -= portion->text.length;
        text_done(&portion->text);
        free(portion);
    }
    return NULL;
}

static bool is_alike(const struct stream *a, const struct stream *b)
{
    return a->route == b->route && strcmp(a->arguments, b->arguments) == 0 &&
           strcmp(a->rest, b->rest) == 0;
}

/* Returns what was written for another client that stood where this one stands; NULL: nothing. */
static struct portion *find_portion(const struct stream *stream)
{
    const struct stream *other = stream->table->first;

    for (; other; other = other->next)
        if (other->portion && other->portion->from == stream->cursor &&
            other->portion->news == stream->table->news && is_alike(other, stream))
            break;
    if (!other)
        return NULL;
    other->portion->n_owners++;
    return other->portion;
}

/* Asks the route for what this client has not had. *ret_portion is NULL where that is nothing. */
static int write_portion(const struct stream *stream, struct portion **ret_portion,
                         struct text *ret_refusal)
{
    const struct route_request request = {
        .query = &stream->query, .rest = stream->rest, .body = ""};
    AUTO_TEXT struct text text = {0};
    uint64_t cursor = stream->cursor;
    struct portion *portion;
    int r = stream->route->next(stream->table->context, &request, &cursor, &text);

    if (r >= 0)
        r = text_error(&text);
    if (r < 0) {
        *ret_refusal = text;
        text = (struct text){0};
        return r;
    }
    portion = calloc(1, sizeof(*portion));
    if (!portion)
        return -ENOMEM;
    *portion = (struct portion){1, text, stream->cursor, cursor, stream->table->news};
    text = (struct text){0};
    stream->table->bytes += portion->text.length;
    *ret_portion = portion;
    return 0;
}

/* The clients that have not taken their text for longest make room for what the others get. */
static void bound_bytes(struct stream_table *table)
{
    while (table->bytes > table->most_bytes) {
        struct stream *slowest = NULL;

        for (struct stream *stream = table->first; stream; stream = stream->next)
            if (stream->portion && (!slowest || stream->since_ns < slowest->since_ns))
                slowest = stream;
        if (!slowest)
            return;
        slowest->gone = true;
        slowest->portion = portion_unref(table, slowest->portion);
    }
}

/* Gets what is new. Returns 0, also where nothing is, or -errno as the route's next(). */
static int fill(struct stream *stream, struct text *ret_refusal)
{
    struct stream_table *const table = stream->table;
    struct portion *portion = find_portion(stream);

    stream->news = table->news;
    if (!portion) {
        const int r = write_portion(stream, &portion, ret_refusal);

        if (r < 0)
            return r;
    }
    stream->cursor = portion->to;
    if (portion->text.length == 0) {
        (void)portion_unref(table, portion);
        return 0;
    }
    stream->portion = portion;
    stream->sent = 0;
    stream->since_ns = clock_monotonic_ns();
    connection_enter(stream->connection, CONNECTION_RESPONSE);
    bound_bytes(table);
    return 0;
}

/* The route has nothing more to tell, and the client may find out why by asking again. */
static void fill_or_end(struct stream *stream)
{
    AUTO_TEXT struct text refusal = {0};

    if (fill(stream, &refusal) < 0)
        stream->ended = true;
}

static ssize_t send_comment(struct stream *stream, char *buffer, size_t size)
{
    const size_t n = stream->comment < size ? stream->comment : size;

    memcpy(buffer, keep_alive + strlen(keep_alive) - stream->comment, n);
    stream->comment -= n;
    return (ssize_t)n;
}

static ssize_t send_portion(struct stream *stream, char *buffer, size_t size)
{
    const struct text *const text = &stream->portion->text;
    const size_t left = text->length - stream->sent;
    const size_t n = left < size ? left : size;

    memcpy(buffer, text->data + stream->sent, n);
    stream->sent += n;
    if (n == left)
        stream->portion = portion_unref(stream->table, stream->portion);
    return (ssize_t)n;
}

static ssize_t suspend(struct stream *stream)
{
    stream->suspended = stream->connection->awaits_us = true;
    stream->since_ns = clock_monotonic_ns();
    MHD_suspend_connection(stream->mhd);
    return 0;
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size)
{
    struct stream *const stream = context;

    (void)position;
    if (stream->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->comment > 0)
        return send_comment(stream, buffer, size);
    if (!stream->portion && !stream->ended && stream->news != stream->table->news)
        fill_or_end(stream);
    if (stream->portion)
        return send_portion(stream, buffer, size);
    return stream->ended ? MHD_CONTENT_READER_END_OF_STREAM : suspend(stream);
}

static void free_stream(void *context)
{
    struct stream *const stream = context;
    struct stream_table *const table = stream->table;

    if (stream->previous)
        stream->previous->next = stream->next;
    else
        table->first = stream->next;
    if (stream->next)
        stream->next->previous = stream->previous;
    table->n--;
    stream->portion = portion_unref(table, stream->portion);
    query_done(&stream->query);
    free(stream->arguments);
    free(stream->rest);
    free(stream);
}

static struct stream *add_stream(struct stream_table *table, const struct route *route,
                                 struct connection *connection, struct MHD_Connection *mhd)
{
    const struct exchange *const exchange = &connection->exchange;
    struct stream *const stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    *stream = (struct stream){
        .table = table,
        .next = table->first,
        .route = route,
        .mhd = mhd,
        .connection = connection,
        .arguments = strdup(exchange->query ? exchange->query : ""),
        .rest = strdup(exchange->rest),
        .comment = strlen(keep_alive),
    };
    if (stream->next)
        stream->next->previous = stream;
    table->first = stream;
    table->n++;
    if (stream->arguments && stream->rest)
        return stream;
    free_stream(stream);
    return NULL;
}

static struct MHD_Response *make_response(struct stream *stream)
{
    struct MHD_Response *const response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_stream, stream, free_stream);

    if (!response) {
        free_stream(stream);
        return NULL;
    }
    if (reply_describe(response, STREAM_CONTENT_TYPE) &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"))
        return response;
    MHD_destroy_response(response);
    return NULL;
}

static bool has_place(const struct stream_table *table, const struct connection *connection)
{
    unsigned n = 0;

    if (connection->on_control)
        return true;
    for (const struct stream *stream = table->first; stream; stream = stream->next)
        if (!stream->connection->cut && stream->connection->network == connection->network)
            n++;
    return table->n < table->most && n < table->share;
}

int stream_begin(struct stream_table *table, const struct route *route,
                 struct connection *connection, struct MHD_Connection *mhd, struct query *query,
                 enum MHD_Result *ret_result, struct text *ret_refusal)
{
    struct MHD_Response *response;
    struct stream *stream;
    int r;

    if (!has_place(table, connection))
        return -EBUSY;
    stream = add_stream(table, route, connection, mhd);
    if (!stream)
        return -ENOMEM;
    stream->query = *query;
    *query = (struct query){0};
    r = fill(stream, ret_refusal);
    if (r < 0) {
        free_stream(stream);
        return r;
    }
    response = make_response(stream);
    if (!response)
        return -ENOMEM;
    *ret_result = reply_queue(mhd, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return 0;
}

static bool resume(struct stream *stream)
{
    if (!stream->suspended)
        return false;
    stream->suspended = stream->connection->awaits_us = false;
    connection_enter(stream->connection, CONNECTION_RESPONSE);
    MHD_resume_connection(stream->mhd);
    return true;
}

bool stream_table_news(struct stream_table *table)
{
    bool resumed = false;

    table->news++;
    for (struct stream *stream = table->first; stream; stream = stream->next) {
        if (!stream->suspended)
            continue; /* It asks for itself, when it has taken what it was given before. */
        fill_or_end(stream);
        if (stream->portion || stream->ended)
            resumed = resume(stream) || resumed;
    }
    return resumed;
}

bool stream_table_tick(struct stream_table *table, uint64_t now_ns)
{
    bool resumed = false;

    for (struct stream *stream = table->first; stream; stream = stream->next) {
        if (!stream->suspended)
            continue;
        stream->gone = stream->gone || peer_has_left(stream->connection->fd);
        if (!stream->gone && now_ns < stream->since_ns + table->keep_alive_ns)
            continue;
        stream->comment = strlen(keep_alive);
        resumed = resume(stream) || resumed;
    }
    return resumed;
}

void stream_table_close(struct stream_table *table)
{
    for (struct stream *stream = table->first; stream; stream = stream->next) {
        stream->ended = true;
        (void)resume(stream);
    }
}
