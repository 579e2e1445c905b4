/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * For the tests of lines with `ask` and `next`: a server whose questions are kept until the test
 * answers them, or answered at once with what was asked, and whose streams tell numbers.
 */

#include <pthread.h>
#include <unistd.h>

#include "web/http_client.h"

#define MOST_HELD 128
#define LINE      " HTTP/1.1\r\nHost: 127.0.0.1\r\n"

struct asking {
    struct fixture fixture;
    struct control_slot *slot;
    pthread_mutex_t mutex; /* It guards what follows. */
    pthread_cond_t changed;
    struct deferred *held[MOST_HELD];
    size_t n_held;
    uint64_t number;   /* A stream tells the numbers up to this one. */
    size_t event_size; /* An event is filled up with dots to so many bytes. */
    int stream_error;
    unsigned n_events;
};

static inline int keep_question(void *context, const struct route_request *request,
                                struct deferred *answer, struct text *text)
{
    struct asking *const asking = context;

    (void)request, (void)text;
    (void)pthread_mutex_lock(&asking->mutex);
    asking->held[asking->n_held++] = answer;
    (void)pthread_cond_broadcast(&asking->changed);
    (void)pthread_mutex_unlock(&asking->mutex);
    return 0;
}

/* Answers within the call with what was asked: the rest of the path, the arguments, the body. */
static inline int echo(void *context, const struct route_request *request, struct deferred *answer,
                       struct text *text)
{
    struct text said = {0};

    (void)context, (void)text;
    text_append_format(&said, "rest=%s\n", request->rest);
    for (size_t i = 0; i < request->query->n; i++)
        text_append_format(&said, "%s=%s\n", request->query->arguments[i].name,
                           request->query->arguments[i].value);
    assert_int_equal('\0', request->body[request->body_length]);
    text_append_string(&said, "body=");
    text_append(&said, request->body, request->body_length);
    deferred_answer(answer, CONTENT_PLAIN_TEXT, &said);
    return 0;
}

/* Says the name of the line that was asked, before what echo() says. */
static inline int say_csv(void *context, const struct route_request *request,
                          struct deferred *answer, struct text *text)
{
    struct text said = {0};

    (void)context, (void)text;
    text_append_format(&said, "csv of %s", request->rest);
    deferred_name_file(answer, "run \"1\"\n.csv");
    deferred_answer(answer, "text/csv; charset=utf-8", &said);
    return 0;
}

static inline int say_deleted(void *context, const struct route_request *request,
                              struct deferred *answer, struct text *text)
{
    struct text said = {0};

    (void)context, (void)text;
    text_append_format(&said, "deleted %s", request->rest);
    deferred_answer(answer, CONTENT_PLAIN_TEXT, &said);
    return 0;
}

/* "?error=N" is refused with -N, at once; "?later=N" by deferred_refuse(). */
static inline int refuse(void *context, const struct route_request *request,
                         struct deferred *answer, struct text *text)
{
    const char *const error = query_value(request->query, "error");
    const char *const later = query_value(request->query, "later");
    struct text said = {0};

    (void)context;
    if (error) {
        text_append_string(text, "no \"\x01\xff\\\n");
        return -(int)strtol(error, NULL, 10);
    }
    text_append_string(&said, "not now\n");
    deferred_refuse(answer, later ? -(int)strtol(later, NULL, 10) : -EIO, &said);
    return 0;
}

static inline int tell_numbers(void *context, const struct route_request *request, uint64_t *cursor,
                               struct text *text)
{
    struct asking *const asking = context;
    int r;

    (void)pthread_mutex_lock(&asking->mutex);
    r = asking->stream_error;
    if (r < 0) {
        text_append_string(text, "no stream\n");
    } else if (*cursor < asking->number) {
        *cursor = asking->number;
        asking->n_events++;
        text_append_format(text, "id: %ju\ndata: %s", (uintmax_t)*cursor, request->rest);
        while (text->length < asking->event_size)
            text_append_string(text, "................................................");
        text_append_string(text, "\n\n");
    }
    (void)pthread_mutex_unlock(&asking->mutex);
    return r;
}

static const struct route asking_routes[] = {
    {.path = "/api/held", .ask = keep_question},
    {.path = "/api/marks", .method = ROUTE_GET, .takes_query = true, .ask = echo},
    {.path = "/api/marks",
     .method = ROUTE_POST,
     .takes_body = 64,
     .takes_query = true,
     .ask = echo},
    {.path = "/api/marks/",
     .has_rest = true,
     .method = ROUTE_DELETE,
     .restricted = true,
     .ask = say_deleted},
    {.path = "/api/runs/", .has_rest = true, .ending = ".csv", .ask = say_csv},
    {.path = "/api/runs/", .has_rest = true, .ask = echo},
    {.path = "/api/refused", .takes_query = true, .ask = refuse},
    {.path = "/refused", .takes_query = true, .ask = refuse},
    {.path = "/large", .method = ROUTE_POST, .takes_body = 100000, .ask = echo},
    {.path = "/live", .next = tell_numbers},
    {.path = "/live/", .has_rest = true, .next = tell_numbers},
    {.path = "/metrics", .content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
    {.path = "/-/healthy", .content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
};

static inline void asking_up_as(struct asking *asking, const struct server_limits *limits,
                                bool everywhere)
{
    const struct route_table table = {asking_routes, ARRAY_SIZE(asking_routes), asking};
    const char *const address = "127.0.0.1:0";
    const char *failed;

    *asking =
        (struct asking){.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    assert_int_equal(0, control_slot_new(&asking->slot));
    assert_int_equal(
        0, http_server_new(&address, 1, &table, limits, &asking->fixture.server, &failed));
    assert_int_equal(0, http_server_control(asking->fixture.server, asking->slot, everywhere));
    assert_int_equal(0, http_server_start(asking->fixture.server));
    asking->fixture.port = http_server_port(asking->fixture.server, 0);
}

static inline void asking_up(struct asking *asking)
{
    asking_up_as(asking, &usual_limits, true);
}

static inline void asking_down(struct asking *asking)
{
    fixture_down(&asking->fixture);
    asking->slot = control_slot_free(asking->slot);
}

/* For each test, or for all tests of a program: a server with the usual limits. */
static inline int asking_set_up(void **state)
{
    static struct asking asking;

    asking_up(&asking);
    *state = &asking;
    return 0;
}

static inline int asking_tear_down(void **state)
{
    asking_down(*state);
    return 0;
}

/* Waits until the server has asked, and returns the question. */
static inline struct deferred *take_question(struct asking *asking, size_t i)
{
    struct timespec until;
    struct deferred *answer;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    (void)pthread_mutex_lock(&asking->mutex);
    while (asking->n_held <= i)
        assert_int_equal(0, pthread_cond_timedwait(&asking->changed, &asking->mutex, &until));
    answer = asking->held[i];
    (void)pthread_mutex_unlock(&asking->mutex);
    return answer;
}

static inline void answer_with(struct deferred *answer, const char *words)
{
    struct text text = {0};

    text_append_string(&text, words);
    deferred_answer(answer, CONTENT_PLAIN_TEXT, &text);
}

static inline void expect_reply(int fd, int status, const char *body)
{
    struct reply reply = read_reply(fd, true);

    assert_int_equal(status, reply.status);
    if (body)
        assert_string_equal(body, reply.body);
    reply_done(&reply);
}

static inline void expect(int fd, const char *request, int status, const char *body)
{
    send_text(fd, request);
    expect_reply(fd, status, body);
}
