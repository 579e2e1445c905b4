/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "web/server.h"

/*
 * Bytes as a client may send them, to a whole server with lines of every kind. It answers them with
 * replies or not at all, closes when it has read their end, and serves the next client.
 */

/* The replies to one input are checked as far as they fit. */
#define REPLY_SIZE 65536

static int show(void *context, const struct route_request *request, size_t form, struct text *text)
{
    (void)context;
    text_append_format(text, "form %zu of %s\n", form, request->rest);
    for (size_t i = 0; i < request->query->n; i++)
        text_append_format(text, "%s\n", request->query->arguments[i].value);
    return 0;
}

static int echo(void *context, const struct route_request *request, struct deferred *answer,
                struct text *text)
{
    struct text said = {0};

    (void)context, (void)text;
    FUZZ_CHECK(request->body_length <= 100 && request->body[request->body_length] == '\0');
    text_append(&said, request->body, request->body_length);
    deferred_answer(answer, CONTENT_JSON, &said);
    return 0;
}

static int refuse(void *context, const struct route_request *request, uint64_t *cursor,
                  struct text *text)
{
    (void)context, (void)cursor;
    text_append_format(text, "no stream of %s\n", request->rest);
    return -EINVAL;
}

static const struct route_form forms[] = {
    {"text/plain; version=0.0.4; charset=utf-8", true},
    {"application/openmetrics-text; version=1.0.0; charset=utf-8", true},
};

static const struct route routes[] = {
    {.path = "/metrics",
     .forms = forms,
     .n_forms = ARRAY_SIZE(forms),
     .takes_query = true,
     .render = show},
    {.path = "/api/rest/", .has_rest = true, .content_type = CONTENT_JSON, .render = show},
    {.path = "/api/marks", .method = ROUTE_POST, .takes_body = 100, .ask = echo},
    {.path = "/api/marks", .ask = echo},
    {.path = "/api/marks/", .has_rest = true, .method = ROUTE_DELETE, .ask = echo},
    {.path = "/live/", .has_rest = true, .ending = ".csv", .next = refuse},
};

/* The server lives as long as the program, and serves all inputs. */
static uint16_t port_of_server(void)
{
    static const struct server_limits limits = {512, 512, 1, 30, 120, 12};
    static const struct route_table table = {routes, ARRAY_SIZE(routes), NULL};
    static struct control_slot *slot;
    static struct http_server *server;
    const char *const address = "127.0.0.1:0";
    const char *failed;

    if (server)
        return http_server_port(server, 0);
    FUZZ_CHECK(control_slot_new(&slot) == 0);
    FUZZ_CHECK(http_server_new(&address, 1, &table, &limits, &server, &failed) == 0);
    FUZZ_CHECK(http_server_control(server, slot, true) == 0);
    FUZZ_CHECK(http_server_start(server) == 0);
    return http_server_port(server, 0);
}

/* Sends the bytes and their end, and returns what comes until the server closes. */
static size_t exchange(const void *bytes, size_t size, char *reply)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(port_of_server()),
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct timeval patience = {60, 0};
    AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    size_t length = 0;
    ssize_t n;

    FUZZ_CHECK(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    FUZZ_CHECK(connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
    (void)send(fd, bytes, size, MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);
    do { /* libFuzzer interrupts it now and then. */
        n = recv(fd, reply + length, REPLY_SIZE - 1 - length, 0);
        length += n > 0 ? (size_t)n : 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
    FUZZ_CHECK(n == 0 || errno == ECONNRESET);
    reply[length] = '\0';
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char good[] = "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    static char reply[REPLY_SIZE];
    const size_t length = exchange(data, size, reply);

    FUZZ_CHECK(length == 0 || strncmp(reply, "HTTP/1.1 ", 9) == 0);
    (void)exchange(good, strlen(good), reply);
    FUZZ_CHECK(strncmp(reply, "HTTP/1.1 200 ", 13) == 0);
    return 0;
}
