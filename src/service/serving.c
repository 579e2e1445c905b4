/* SPDX-License-Identifier: Apache-2.0 */
#include "service/serving.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/log.h"

#define CONNECTIONS_PER_ADDRESS 128

static int bind_addresses(struct serving *serving, const struct options *options,
                          const struct route_table *table, const struct server_limits *limits)
{
    const char *address = NULL;
    int r;

    if (service_manager_count_sockets() > 0)
        log_warning("the sockets that systemd has passed are not used", "reason",
                    "--web.systemd-socket is not given");
    r = http_server_new(options->listen_addresses, options->n_listen_addresses, table, limits,
                        &serving->server, &address);
    if (r < 0)
        log_error("cannot listen", "address", address ? address : "", "error", strerror(-r));
    return r;
}

static int take_sockets(struct passed_sockets *ret_passed)
{
    char descriptor[16] = "";
    int wrong, r = service_manager_take_sockets(ret_passed, &wrong);

    if (r == 0 && ret_passed->n == 0) {
        log_error("systemd has passed no socket", "flag", "--web.systemd-socket");
        return -ENOTCONN;
    }
    if (wrong >= 0)
        (void)snprintf(descriptor, sizeof(descriptor), "%d", wrong);
    if (r == -ENOTSOCK)
        log_error("systemd has passed what is not a listening stream socket", "descriptor",
                  descriptor);
    else if (r < 0)
        log_error("cannot take the sockets of systemd", "error", strerror(-r));
    return r;
}

static int use_sockets(struct serving *serving, const struct route_table *table,
                       const struct server_limits *limits)
{
    struct passed_sockets *passed = &serving->passed;
    int r = take_sockets(passed);

    if (r < 0)
        return r;
    r = http_server_new_on_sockets(passed->fds, passed->n, table, limits, &serving->server);
    if (r < 0)
        log_error("cannot answer on the sockets of systemd", "error", strerror(-r));
    return r;
}

static void log_listening(const struct serving *serving, const struct options *options)
{
    const bool passed = options->systemd_socket;
    const size_t n = passed ? serving->passed.n : options->n_listen_addresses;

    for (size_t i = 0; i < n; i++) {
        char port[8];

        (void)snprintf(port, sizeof(port), "%" PRIu16, http_server_port(serving->server, i));
        log_info("listening", passed ? "socket" : "address",
                 passed ? serving->passed.names[i] : options->listen_addresses[i], "port", port);
    }
}

static const char *control_error(int error)
{
    switch (-error) {
    case EADDRINUSE:
        return "another process listens there";
    case EEXIST:
        return "what stands there is no socket";
    default:
        return strerror(-error);
    }
}

/* The service goes on without a control socket: SIGHUP reloads, and numbers do not need it. */
static int allow_control(struct serving *serving, const struct options *options,
                         struct control_slot *control)
{
    int r = http_server_control(serving->server, control, options->enable_lifecycle);

    if (r < 0) {
        log_error("cannot start", "part", "control", "error", strerror(-r));
        return r;
    }
    r = http_server_add_control_socket(serving->server, options->control_socket);
    if (r < 0)
        log_warning("no control socket: pmutool cannot reload or pause", "path",
                    options->control_socket, "error", control_error(r));
    return 0;
}

/* From the first connection on. */
static int protect(struct serving *serving, const struct options *options)
{
    int r;

    if (!serving->web_config)
        return 0;
    r = web_watch_new(serving->web_reader, options->web_config_file, TAKE(serving->web_config),
                      serving->server, &serving->watch);
    if (r < 0)
        log_error("cannot start", "part", "web configuration", "error", strerror(-r));
    return r;
}

void serving_status(const struct serving *serving, struct http_status *ret_status)
{
    *ret_status = (struct http_status){0};
    http_server_status(serving->server, ret_status);
    web_watch_status(serving->watch, ret_status);
}

/* One address may have three quarters of the connections at most, also if these are few. */
static unsigned most_of_an_address(unsigned connections)
{
    const unsigned most = connections - connections / 4;

    return most < CONNECTIONS_PER_ADDRESS ? most : CONNECTIONS_PER_ADDRESS;
}

int serving_start(struct serving *serving, const struct options *options,
                  const struct route_table *table, struct control_slot *control,
                  unsigned connections, size_t answer_bytes)
{
    const struct server_limits limits = {
        .connections = connections,
        .connections_per_address = most_of_an_address(connections),
        .headers_seconds = 8,
        .response_seconds = 30,
        .idle_seconds = 120,
        .crowded_idle_seconds = 12,
        .scrapes = options->max_requests,
        .answer_bytes = answer_bytes,
    };
    int r = options->systemd_socket ? use_sockets(serving, table, &limits)
                                    : bind_addresses(serving, options, table, &limits);

    if (r >= 0)
        r = allow_control(serving, options, control);
    if (r >= 0)
        r = protect(serving, options);
    if (r < 0)
        return r;
    r = http_server_start(serving->server);
    if (r < 0) {
        log_error("cannot start", "part", "server thread", "error", strerror(-r));
        return r;
    }
    log_listening(serving, options);
    return 0;
}

static void log_crowd(uint64_t closed, uint64_t refused, uint64_t connections)
{
    char numbers[3][24];

    (void)snprintf(numbers[0], sizeof(numbers[0]), "%" PRIu64, closed);
    (void)snprintf(numbers[1], sizeof(numbers[1]), "%" PRIu64, refused);
    (void)snprintf(numbers[2], sizeof(numbers[2]), "%" PRIu64, connections);
    log_warning("HTTP has no room for all connections: idle ones are closed for new ones", "closed",
                numbers[0], "refused", numbers[1], "open", numbers[2], "hint",
                "pmu_exporter_http_connections_refused_total has the reasons");
}

void serving_log_crowd(struct serving *serving, uint64_t now_ns)
{
    const struct http_status *const logged = &serving->logged;
    struct http_status status;
    uint64_t closed, refused = 0;

    if (!growing_wait_is_over(&serving->log_wait, now_ns))
        return;
    http_server_status(serving->server, &status);
    closed = status.closed[HTTP_CLOSED_ROOM] - logged->closed[HTTP_CLOSED_ROOM];
    for (unsigned i = 0; i < HTTP_REFUSALS_; i++)
        refused += status.refused[i] - logged->refused[i];
    if (closed == 0 && refused == 0)
        return;
    log_crowd(closed, refused, status.connections);
    serving->logged = status;
    growing_wait_begin(&serving->log_wait, now_ns);
}

void serving_stop(struct serving *serving)
{
    http_server_stop(serving->server); /* its pages ask the watch, which gives to the server */
    serving->watch = web_watch_free(serving->watch);
    serving->web_config = web_config_free(serving->web_config);
    serving->server = http_server_free(serving->server);
    passed_sockets_done(&serving->passed);
}
