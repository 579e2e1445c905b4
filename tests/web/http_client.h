/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * For the tests of the web layer: a server on a port of its own that shows a page
 * which the test controls, and a client that speaks bytes.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"
#include "web/server.h"

#define GET_METRICS "GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n"

/* The page: "version N\n", then as many dots as it takes to fill `size`. */
struct page {
    _Atomic uint64_t version;
    _Atomic unsigned n_renders;
    _Atomic int error;
    _Atomic size_t size;
};

struct fixture {
    struct page page;
    struct http_server *server;
    uint16_t port;
};

struct reply {
    int status; /* 0: no reply came */
    char head[4096];
    char *body;
    size_t length;
};

/*
 * Waiting ends as soon as the event is there, so only a test that fails waits so long. It is
 * shorter than the longer deadlines of the limits below.
 */
#define PATIENCE_MS 25000

/* Less than the shortest deadline of the limits below: what is that quick waited for no deadline.
 */
#define BEFORE_ANY_DEADLINE_MS 7000

static const struct server_limits usual_limits = {512, 128, 8, 30, 120, 12};

static inline uint64_t page_version(void *context)
{
    struct page *const page = context;

    return page->version;
}

static inline int page_render(void *context, const struct route_request *request, size_t form,
                              struct text *text)
{
    struct page *const page = context;
    const size_t size = page->size;

    (void)request, (void)form;
    page->n_renders++;
    text_append_format(text, "version %ju\n", (uintmax_t)page->version);
    if (size > text->length && text_reserve(text, size - text->length)) {
        memset(text->data + text->length, '.', size - text->length);
        text->length = size;
    }
    return page->error;
}

static inline int fixed_render(void *context, const struct route_request *request, size_t form,
                               struct text *text)
{
    (void)context, (void)request, (void)form;
    text_append_string(text, "fixed\n");
    return 0;
}

/* Shows the arguments that it gets; "refuse" is wrong, and "nobody" is not there. */
static inline int query_render(void *context, const struct route_request *request, size_t form,
                               struct text *text)
{
    struct page *const page = context;
    const struct query *const query = request->query;

    (void)form;
    page->n_renders++;
    for (size_t i = 0; i < query->n; i++)
        text_append_format(text, "%s=%s\n", query->arguments[i].name, query->arguments[i].value);
    if (query_value(query, "refuse"))
        return -EINVAL;
    return query_value(query, "nobody") ? -ENOENT : 0;
}

static inline int ask_reload(const struct query *query, struct control_request *ret_request,
                             struct text *text)
{
    (void)query, (void)text;
    *ret_request = (struct control_request){.action = CONTROL_RELOAD};
    return 0;
}

static inline int ask_pause(const struct query *query, struct control_request *ret_request,
                            struct text *text)
{
    const char *const duration = query_value(query, "duration");

    *ret_request = (struct control_request){.action = CONTROL_PAUSE};
    if (duration && control_parse_pause(duration, &ret_request->duration_ns) == 0)
        return 0;
    text_append_string(text, "expected a duration\n");
    return -EINVAL;
}

static const struct route usual_routes[] = {
    {.path = "/metrics",
     .content_type = "text/plain; version=0.0.4; charset=utf-8",
     .version = page_version,
     .render = page_render},
    {.path = "/",
     .content_type = CONTENT_HTML,
     .security_policy = "default-src 'none'",
     .render = fixed_render},
    {.path = "/-/healthy", .content_type = CONTENT_PLAIN_TEXT, .render = fixed_render},
    {.path = "/arguments",
     .content_type = CONTENT_PLAIN_TEXT,
     .takes_query = true,
     .version = page_version,
     .render = query_render},
    {.path = "/restricted",
     .content_type = CONTENT_PLAIN_TEXT,
     .restricted = true,
     .render = fixed_render},
    {.path = "/-/reload", .restricted = true, .command = ask_reload},
    {.path = "/-/pause", .restricted = true, .takes_query = true, .command = ask_pause},
};

static inline struct route_table usual_table(struct page *page)
{
    return (struct route_table){usual_routes, ARRAY_SIZE(usual_routes), page};
}

static inline void fixture_up_at(struct fixture *fixture, const char *address,
                                 const struct server_limits *limits)
{
    const struct route_table table = usual_table(&fixture->page);
    const char *failed;

    *fixture = (struct fixture){0};
    fixture->page.version = 1;
    assert_int_equal(0, http_server_new(&address, 1, &table, limits, &fixture->server, &failed));
    assert_int_equal(0, http_server_start(fixture->server));
    fixture->port = http_server_port(fixture->server, 0);
    assert_int_not_equal(0, fixture->port);
}

static inline void fixture_up(struct fixture *fixture, const struct server_limits *limits)
{
    fixture_up_at(fixture, "127.0.0.1:0", limits);
}

static inline void fixture_down(struct fixture *fixture)
{
    fixture->server = http_server_free(fixture->server);
    assert_null(fixture->server);
}

static inline void pause_ms(unsigned ms)
{
    const struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

    (void)nanosleep(&time, NULL);
}

/* Connects to 127.0.0.1 or ::1. Reads fail after PATIENCE_MS of silence. Returns -errno on failure.
 */
static inline int try_connect(int family, uint16_t port, int receive_buffer)
{
    const struct sockaddr_in ipv4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct sockaddr_in6 ipv6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const bool is_ipv6 = family == AF_INET6;
    const struct timeval patience = {PATIENCE_MS / 1000, 0};
    AUTO_CLOSE int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return -errno;
    if (receive_buffer > 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(fd, is_ipv6 ? (const struct sockaddr *)&ipv6 : (const struct sockaddr *)&ipv4,
                is_ipv6 ? sizeof(ipv6) : sizeof(ipv4)) < 0)
        return -errno;
    return TAKE_FD(fd);
}

static inline int connect_to(uint16_t port)
{
    const int fd = try_connect(AF_INET, port, 0);

    assert_true(fd >= 0);
    return fd;
}

/* Connects a client that reads slowly: the kernel buffers only a few kilobytes for it. */
static inline int connect_slowly_to(uint16_t port)
{
    const int fd = try_connect(AF_INET, port, 4096);

    assert_true(fd >= 0);
    return fd;
}

static inline void send_text(int fd, const char *text)
{
    /* A server that refuses a request closes while we still send it. */
    (void)send(fd, text, strlen(text), MSG_NOSIGNAL);
}

static inline void read_head(int fd, struct reply *reply)
{
    size_t length = 0;

    while (length < sizeof(reply->head) - 1 && recv(fd, reply->head + length, 1, 0) == 1) {
        length++;
        if (length >= 4 && memcmp(reply->head + length - 4, "\r\n\r\n", 4) == 0)
            break;
    }
    reply->head[length] = '\0';
    if (sscanf(reply->head, "HTTP/1.1 %d ", &reply->status) != 1)
        reply->status = 0;
}

/* Returns a header's value within the head, or NULL. */
static inline const char *header_of(const struct reply *reply, const char *name)
{
    const char *line = reply->head;

    while ((line = strstr(line, "\r\n")) != NULL) {
        line += 2;
        if (strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':')
            return line + strlen(name) + 2;
    }
    return NULL;
}

static inline bool header_is(const struct reply *reply, const char *name, const char *value)
{
    const char *const found = header_of(reply, name);

    return found && strncmp(found, value, strlen(value)) == 0 &&
           strncmp(found + strlen(value), "\r\n", 2) == 0;
}

/* Reads one response; the body is a C string that reply_done() frees. */
static inline struct reply read_reply(int fd, bool with_body)
{
    struct reply reply = {0};
    const char *length;
    size_t wanted;

    read_head(fd, &reply);
    length = header_of(&reply, "Content-Length");
    wanted = length && with_body ? strtoul(length, NULL, 10) : 0;
    reply.body = calloc(1, wanted + 1);
    assert_non_null(reply.body);
    while (reply.length < wanted) {
        const ssize_t n = recv(fd, reply.body + reply.length, wanted - reply.length, 0);

        if (n <= 0)
            break;
        reply.length += (size_t)n;
    }
    return reply;
}

static inline void reply_done(struct reply *reply)
{
    free(reply->body);
    *reply = (struct reply){0};
}

/* Sends a request over this connection, and returns the status of the reply. */
static inline int status_of(int fd, const char *request)
{
    struct reply reply;
    int status;

    send_text(fd, request);
    reply = read_reply(fd, true);
    status = reply.status;
    reply_done(&reply);
    return status;
}

/* Returns all that comes until the server closes; the caller frees it. NULL: it does not close. */
static inline char *read_to_the_end(int fd)
{
    AUTO_TEXT struct text all = {0};
    char bytes[4096];
    ssize_t n;

    while ((n = recv(fd, bytes, sizeof(bytes), 0)) > 0)
        text_append(&all, bytes, (size_t)n);
    if (n < 0 && errno != ECONNRESET)
        return NULL;
    return text_take(&all);
}

/*
 * Lets the server have two turns of its loop: after them, connections that were cut, or whose
 * client has gone, are closed.
 */
static inline void let_server_turn(int fd)
{
    for (int i = 0; i < 2; i++)
        assert_int_equal(200, status_of(fd, "GET /-/healthy HTTP/1.1\r\nHost: test\r\n\r\n"));
}

/* Returns the status of a scrape over a connection of its own; 0 if no reply came. */
static inline int scrape(uint16_t port)
{
    AUTO_CLOSE int fd = try_connect(AF_INET, port, 0);

    return fd < 0 ? 0 : status_of(fd, GET_METRICS);
}

/* Returns how many milliseconds it takes until the server closes the connection; -1: it does not.
 */
static inline int ms_until_closed(int fd)
{
    const uint64_t start = clock_monotonic_ns();
    char bytes[65536];
    ssize_t n;

    do {
        n = recv(fd, bytes, sizeof(bytes), 0);
    } while (n > 0);
    if (n < 0 && errno != ECONNRESET)
        return -1;
    return (int)((clock_monotonic_ns() - start) / 1000000);
}
