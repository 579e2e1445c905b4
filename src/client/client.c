/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "client/answer.h"
#include "client/event_stream.h"
#include "client/exchange.h"

#define EVENT_STREAM_TYPE "text/event-stream"

struct pmu_client {
    struct exchange *exchange;
    bool is_tcp;
    struct event_stream stream;
    json_t *data; /* of the event that was given last */
    int ended;    /* of a stream: 0, or what exchange_advance() has said of its end */
    int status;
    char words[512];
};

int pmu_client_open(const char *where, struct pmu_client **ret_client)
{
    struct pmu_client *const client = calloc(1, sizeof(*client));
    int r;

    if (!client)
        return -ENOMEM;
    r = exchange_new(where, &client->exchange);
    if (r < 0) {
        (void)pmu_client_close(client);
        return r;
    }
    client->is_tcp = where && strstr(where, "://");
    *ret_client = client;
    return 0;
}

struct pmu_client *pmu_client_close(struct pmu_client *client)
{
    if (!client)
        return NULL;
    client->exchange = exchange_free(client->exchange);
    json_decref(client->data);
    free(client);
    return NULL;
}

const char *pmu_client_error(const struct pmu_client *client)
{
    return client->words;
}

int pmu_client_status(const struct pmu_client *client)
{
    return client->status;
}

/* What there is to say of a failure before there was an answer. */
static const char *explain(const struct pmu_client *client, int error)
{
    const char *const words = exchange_words(client->exchange);

    switch (error) {
    case -ENOENT:
        return "there is no such socket; is pmu_exporter running, with this --control.socket?";
    case -ECONNREFUSED:
        return client->is_tcp ? "nobody listens there" : "nobody listens; pmu_exporter has ended";
    case -EACCES:
    case -EPERM:
        return "permission denied; only root and the user of the service may";
    case -ETIMEDOUT:
        return "no answer within 40 seconds";
    case -ECONNRESET:
        return "pmu_exporter has closed the connection";
    case -EFBIG:
        return "the answer is too large";
    case -EPROTO:
        return *words ? words : "what answered is not pmu_exporter";
    case -EINVAL:
        return "a path begins with a slash and is encoded as URLs are; nothing is asked";
    default:
        return strerror(-error);
    }
}

static int fail(struct pmu_client *client, int error)
{
    (void)snprintf(client->words, sizeof(client->words), "%s", explain(client, error));
    exchange_cancel(client->exchange);
    return error;
}

static int begin(struct pmu_client *client, const struct exchange_request *request)
{
    int r;

    client->words[0] = '\0';
    client->status = 0;
    client->ended = 0;
    client->stream = (struct event_stream){0};
    r = exchange_begin(client->exchange, request);
    return r < 0 ? fail(client, r) : 0;
}

/* The answer that is complete, until the exchange is cancelled. */
static struct answer answer_of(const struct pmu_client *client)
{
    const struct buffer *const received = exchange_received(client->exchange);

    return (struct answer){.status = exchange_status(client->exchange),
                           .content_type = exchange_content_type(client->exchange),
                           .body = received->length > 0 ? received->data : "",
                           .length = received->length};
}

/* Takes the answer that is complete. */
static int take_answer(struct pmu_client *client, json_t **ret_value)
{
    const struct answer answer = answer_of(client);
    const int r = answer_read(&answer, ret_value, client->words, sizeof(client->words));

    client->status = answer.status;
    exchange_cancel(client->exchange);
    return r;
}

int pmu_client_ask(struct pmu_client *client, const char *path)
{
    return begin(client, &(struct exchange_request){.method = "GET", .path = path});
}

int pmu_client_descriptor(const struct pmu_client *client)
{
    return exchange_descriptor(client->exchange);
}

int pmu_client_answer(struct pmu_client *client, json_t **ret_value)
{
    const int r = exchange_advance(client->exchange);

    if (r == 0)
        return -EINPROGRESS;
    return r < 0 ? fail(client, r) : take_answer(client, ret_value);
}

/* Asks, and waits until the answer is complete. */
static int ask_and_wait(struct pmu_client *client, const struct exchange_request *request)
{
    int r = begin(client, request);

    if (r < 0)
        return r;
    while ((r = exchange_advance(client->exchange)) == 0) {
        r = exchange_wait(client->exchange, -1);
        if (r < 0)
            break;
    }
    return r < 0 ? fail(client, r) : 0;
}

static int ask_for_value(struct pmu_client *client, const struct exchange_request *request,
                         json_t **ret_value)
{
    const int r = ask_and_wait(client, request);

    return r < 0 ? r : take_answer(client, ret_value);
}

int pmu_client_get(struct pmu_client *client, const char *path, json_t **ret_value)
{
    return ask_for_value(client, &(struct exchange_request){.method = "GET", .path = path},
                         ret_value);
}

int pmu_client_get_bytes(struct pmu_client *client, const char *path, char **ret_bytes,
                         size_t *ret_length)
{
    const struct exchange_request request = {.method = "GET", .path = path};
    struct answer answer;
    int r = ask_and_wait(client, &request);

    if (r < 0)
        return r;
    answer = answer_of(client);
    r = answer_read_bytes(&answer, ret_bytes, ret_length, client->words, sizeof(client->words));
    client->status = answer.status;
    exchange_cancel(client->exchange);
    return r;
}

int pmu_client_post(struct pmu_client *client, const char *path, const json_t *body,
                    json_t **ret_value)
{
    AUTO_FREE char *text = body ? json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

    if (body && !text)
        return fail(client, -ENOMEM);
    return ask_for_value(client,
                         &(struct exchange_request){.method = "POST", .path = path, .body = text},
                         ret_value);
}

int pmu_client_delete(struct pmu_client *client, const char *path, json_t **ret_value)
{
    return ask_for_value(client, &(struct exchange_request){.method = "DELETE", .path = path},
                         ret_value);
}

int pmu_client_follow(struct pmu_client *client, const char *path)
{
    return begin(client,
                 &(struct exchange_request){.method = "GET", .path = path, .is_endless = true});
}

/* Whether what comes is a stream, and no refusal. */
static bool is_stream(const struct pmu_client *client)
{
    return exchange_status(client->exchange) == 200 &&
           strncmp(exchange_content_type(client->exchange), EVENT_STREAM_TYPE,
                   strlen(EVENT_STREAM_TYPE)) == 0;
}

/* Gives an event that has come: 1; 0: none has. */
static int take_event(struct pmu_client *client, struct pmu_event *ret_event)
{
    struct stream_event event;

    if (!is_stream(client) ||
        event_stream_next(&client->stream, exchange_received(client->exchange), &event) == 0)
        return 0;
    json_decref(client->data);
    client->data =
        json_loadb(event.data, event.data_length,
                   JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, NULL);
    if (!client->data)
        return fail(client, -EPROTO);
    *ret_event = (struct pmu_event){event.name, event.id, client->data};
    return 1;
}

/* The stream is at its end, or never was one. */
static int end_stream(struct pmu_client *client)
{
    json_t *value = NULL;
    int r;

    if (is_stream(client))
        return fail(client, -ECONNRESET);
    r = take_answer(client, &value);
    json_decref(value);
    return r < 0 ? r : fail(client, -EPROTO);
}

static int advance_stream(struct pmu_client *client, struct pmu_event *ret_event)
{
    int r = take_event(client, ret_event);

    if (r != 0)
        return r;
    if (client->ended == 0)
        client->ended = exchange_advance(client->exchange);
    client->status = exchange_status(client->exchange);
    r = take_event(client, ret_event);
    if (r != 0 || client->ended == 0)
        return r;
    return client->ended < 0 ? fail(client, client->ended) : end_stream(client);
}

static int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int pmu_client_next(struct pmu_client *client, int timeout_ms, struct pmu_event *ret_event)
{
    const int64_t end_ms = now_ms() + timeout_ms;

    for (;;) {
        const int r = advance_stream(client, ret_event);
        const int64_t left_ms = timeout_ms < 0 ? -1 : end_ms - now_ms();

        if (r != 0 || (timeout_ms >= 0 && left_ms <= 0))
            return r;
        if (exchange_wait(client->exchange, (int)left_ms) < 0)
            return fail(client, -errno);
    }
}
