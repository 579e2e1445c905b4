/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* For the tests of pages in several forms: a server that has one, and clients that want gzip. */

#include <libdeflate.h>

#include "web/http_client.h"

enum { TEXT, OPENMETRICS, OLD_OPENMETRICS };

static const struct route_form page_forms[] = {
    [TEXT] = {"text/plain; version=0.0.4; charset=utf-8", true},
    [OPENMETRICS] = {"application/openmetrics-text; version=1.0.0; charset=utf-8", true},
    [OLD_OPENMETRICS] = {"application/openmetrics-text; version=0.0.1; charset=utf-8", false},
};

/* By which each form is asked for. */
static const char *const accepts[] = {
    [TEXT] = "text/plain",
    [OPENMETRICS] = "application/openmetrics-text;version=1.0.0",
    [OLD_OPENMETRICS] = "application/openmetrics-text;version=0.0.1",
};

/* The page of the fixture (web/http_client.h), with the number of the form in front. */
static inline int render_form(void *context, const struct route_request *request, size_t form,
                              struct text *text)
{
    text_append_format(text, "form %zu\n", form);
    return page_render(context, request, form, text);
}

static inline int render_large(void *context, const struct route_request *request, size_t form,
                               struct text *text)
{
    (void)context, (void)request, (void)form;
    while (text->length < 5000)
        text_append_format(text, "function of_%zu() {}\n", text->length);
    return 0;
}

static inline int answer_large(void *context, const struct route_request *request,
                               struct deferred *answer, struct text *text)
{
    struct text large = {0};

    (void)text;
    (void)render_large(context, request, 0, &large);
    deferred_answer(answer, CONTENT_JSON, &large);
    return 0;
}

static const struct route form_routes[] = {
    {.path = "/metrics",
     .forms = page_forms,
     .n_forms = ARRAY_SIZE(page_forms),
     .takes_query = true,
     .version = page_version,
     .render = render_form},
    {.path = "/main.js", .content_type = "text/javascript", .render = render_large},
    {.path = "/-/healthy", .content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
    {.path = "/api/history", .ask = answer_large},
};

static inline void forms_up(struct fixture *fixture)
{
    const struct route_table table = {form_routes, ARRAY_SIZE(form_routes), &fixture->page};
    const char *const address = "127.0.0.1:0";
    const char *failed;

    *fixture = (struct fixture){.page = {.version = 1, .size = 5000}};
    assert_int_equal(
        0, http_server_new(&address, 1, &table, &usual_limits, &fixture->server, &failed));
    assert_int_equal(0, http_server_start(fixture->server));
    fixture->port = http_server_port(fixture->server, 0);
}

/* Replaces a body that is gzip by the text. */
static inline void decompress(struct reply *reply)
{
    struct libdeflate_decompressor *const decompressor = libdeflate_alloc_decompressor();
    char *const text = calloc(1, 1000000);
    size_t length;

    assert_non_null(text);
    assert_true(header_is(reply, "Content-Encoding", "gzip"));
    assert_int_equal(LIBDEFLATE_SUCCESS,
                     libdeflate_gzip_decompress(decompressor, reply->body, reply->length, text,
                                                1000000 - 1, &length));
    libdeflate_free_decompressor(decompressor);
    free(reply->body);
    reply->body = text;
    reply->length = length;
}

/* Asks with these headers, each of which ends with the end of its line. */
static inline struct reply ask_on(int fd, const char *method, const char *target,
                                  const char *headers)
{
    char request[1024];

    (void)snprintf(request, sizeof(request), "%s %s HTTP/1.1\r\nHost: test\r\n%s\r\n", method,
                   target, headers);
    send_text(fd, request);
    return read_reply(fd, strcmp(method, "HEAD") != 0);
}

static inline struct reply ask_for(const struct fixture *fixture, const char *target,
                                   const char *headers)
{
    AUTO_CLOSE int fd = connect_to(fixture->port);

    return ask_on(fd, "GET", target, headers);
}
