/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread and its loop. Everything except the heartbeat belongs to the thread while it runs, and
 * to the caller before it starts and after it has been joined. So nothing here is locked. Twice a
 * second a tick moves the heartbeat, cuts the connections that are past their deadline, and lets
 * daemons accept again that had run out of descriptors.
 */
#include "web/server.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <systemd/sd-event.h>

#include "base/clock.h"
#include "base/wake.h"
#include "sys/event_loop.h"
#include "sys/thread.h"
#include "web/connections.h"
#include "web/daemon.h"
#include "web/listen.h"
#include "web/listen_unix.h"
#include "web/site.h"

#define TICK_US          UINT64_C(500000)
#define TICK_ACCURACY_US UINT64_C(50000)

/*
 * A command waits for its answer for two thirds of the time that a response has, so that the client
 * can still take the refusal in the rest of it.
 */
#define CONTROL_PATIENCE_NS_PER_SECOND (NS_PER_SECOND * 2 / 3)

struct http_server {
    struct site site;
    struct connection_table connections;
    struct server_limits limits;
    struct daemon *daemons; /* one for each address or socket, and for the control socket */
    uint16_t *ports;
    size_t n_daemons;
    sd_event *event;
    sd_event_source *ticking;
    sd_event_source *stop_source;
    sd_event_source *gate_source;
    sd_event_source *answers_source;  /* for answers of the owner of the control slot */
    sd_event_source *deferred_source; /* for answers of anybody else */
    sd_event_source *news_source;
    struct unix_place control_place;
    int stop_fd; /* an eventfd, which becomes readable when the thread is to end */
    int news_fd; /* an eventfd, which becomes readable when streams may have something new */
    bool stopping;
    bool started;
    pthread_t thread;
    _Atomic uint64_t heartbeat_ns;
};

static int on_stop(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct http_server *const server = context;

    (void)source, (void)fd, (void)events;
    server->stopping = true;
    return 0;
}

static int schedule_tick(sd_event_source *source)
{
    int r;

    r = sd_event_source_set_time_relative(source, TICK_US);
    if (r < 0)
        return r;
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* libmicrohttpd lets only its own loop know that a connection was resumed, so all daemons turn. */
static void turn_daemons(struct http_server *server)
{
    for (size_t i = 0; i < server->n_daemons; i++)
        daemon_turn(&server->daemons[i]);
}

static int on_tick(sd_event_source *source, uint64_t time_us, void *context)
{
    struct http_server *const server = context;

    (void)time_us;
    if (site_tick(&server->site, clock_monotonic_ns()))
        turn_daemons(server);
    if (connection_table_expire(&server->connections, clock_monotonic_ns()))
        turn_daemons(server);
    for (size_t i = 0; i < server->n_daemons; i++)
        daemon_tick(&server->daemons[i], clock_monotonic_ns());
    return schedule_tick(source);
}

static int on_deferred(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct http_server *const server = context;

    (void)source, (void)fd, (void)events;
    if (deferred_desk_collect(&server->site.desk))
        turn_daemons(server);
    return 0;
}

static int on_news(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct http_server *const server = context;
    eventfd_t unused;

    (void)source, (void)events;
    (void)eventfd_read(fd, &unused);
    if (stream_table_news(&server->site.streams))
        turn_daemons(server);
    return 0;
}

static int on_gate(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct http_server *const server = context;

    (void)source, (void)fd, (void)events;
    if (site_turn_gate(&server->site))
        turn_daemons(server);
    return 0;
}

void http_server_protect(struct http_server *server, struct protection *protection)
{
    gate_protect(&server->site.gate, protection);
}

static void *serve(void *context)
{
    struct http_server *const server = context;

    while (!server->stopping) {
        atomic_store_explicit(&server->heartbeat_ns, clock_monotonic_ns(), memory_order_relaxed);
        if (event_loop_turn(server->event) < 0)
            break; /* The heartbeat stands still now, and the watchdog sees that. */
    }
    return NULL;
}

static int prepare_loop(struct http_server *server)
{
    int r;

    server->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    server->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->stop_fd < 0 || server->news_fd < 0)
        return -errno;
    r = sd_event_new(&server->event);
    if (r < 0)
        return r;
    r = sd_event_add_io(server->event, &server->stop_source, server->stop_fd, EPOLLIN, on_stop,
                        server);
    if (r < 0)
        return r;
    r = sd_event_add_io(server->event, &server->news_source, server->news_fd, EPOLLIN, on_news,
                        server);
    if (r < 0)
        return r;
    r = sd_event_add_io(server->event, &server->deferred_source,
                        deferred_desk_fd(&server->site.desk), EPOLLIN, on_deferred, server);
    if (r < 0)
        return r;
    r = sd_event_add_io(server->event, &server->gate_source, gate_fd(&server->site.gate), EPOLLIN,
                        on_gate, server);
    if (r < 0)
        return r;
    return sd_event_add_time_relative(server->event, &server->ticking, CLOCK_MONOTONIC, TICK_US,
                                      TICK_ACCURACY_US, on_tick, server);
}

/* Prepares all but the sockets, with room for n of them and for the control socket. */
static int prepare(size_t n, const struct route_table *table, const struct server_limits *limits,
                   struct http_server **ret_server)
{
    AUTO(http_server) struct http_server *server = NULL;
    int r;

    if (n == 0)
        return -EINVAL;
    server = calloc(1, sizeof(*server));
    if (!server)
        return -ENOMEM;
    server->stop_fd = server->news_fd = -1;
    server->limits = *limits;
    server->daemons = calloc(n + 1, sizeof(*server->daemons));
    server->ports = calloc(n + 1, sizeof(*server->ports));
    if (!server->daemons || !server->ports)
        return -ENOMEM;
    r = connection_table_init(&server->connections, limits);
    if (r < 0)
        return r;
    r = site_init(&server->site, table, &server->connections);
    if (r < 0)
        return r;
    r = prepare_loop(server);
    if (r < 0)
        return r;
    *ret_server = TAKE(server);
    return 0;
}

/* Takes a listening socket over, and serves it. */
static int serve_socket(struct http_server *server, int fd, uint16_t port)
{
    const size_t i = server->n_daemons++;

    server->ports[i] = port;
    return daemon_init(&server->daemons[i], server->event, fd, &server->site);
}

int http_server_new(const char *const *addresses, size_t n_addresses,
                    const struct route_table *table, const struct server_limits *limits,
                    struct http_server **ret_server, const char **ret_address)
{
    AUTO(http_server) struct http_server *server = NULL;
    int r;

    *ret_address = NULL;
    r = prepare(n_addresses, table, limits, &server);
    if (r < 0)
        return r;
    for (size_t i = 0; i < n_addresses; i++) {
        uint16_t port;
        int fd;

        r = listen_open(addresses[i], &fd, &port);
        if (r == 0)
            r = serve_socket(server, fd, port);
        if (r < 0) {
            *ret_address = addresses[i];
            return r;
        }
    }
    *ret_server = TAKE(server);
    return 0;
}

int http_server_new_on_sockets(int *fds, size_t n_fds, const struct route_table *table,
                               const struct server_limits *limits, struct http_server **ret_server)
{
    AUTO(http_server) struct http_server *server = NULL;
    int r;

    r = prepare(n_fds, table, limits, &server);
    if (r < 0)
        return r;
    for (size_t i = 0; i < n_fds; i++) {
        uint16_t port;

        r = listen_adopt(fds[i], &port);
        if (r == 0)
            r = serve_socket(server, TAKE_FD(fds[i]), port);
        if (r < 0)
            return r;
    }
    *ret_server = TAKE(server);
    return 0;
}

static int on_control_answer(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct http_server *const server = context;

    (void)source, (void)fd, (void)events;
    if (control_routes_collect(&server->site.control))
        turn_daemons(server);
    return 0;
}

int http_server_control(struct http_server *server, struct control_slot *slot, bool everywhere)
{
    int r;

    r = sd_event_add_io(server->event, &server->answers_source, control_slot_answer_fd(slot),
                        EPOLLIN, on_control_answer, server);
    if (r < 0)
        return r;
    for (size_t i = 0; i < server->n_daemons; i++)
        server->daemons[i].may_control = everywhere;
    server->site.routing.has_commands = true;
    server->site.control = (struct control_routes){
        .slot = slot,
        .patience_ns = server->limits.response_seconds * CONTROL_PATIENCE_NS_PER_SECOND,
    };
    return 0;
}

int http_server_add_control_socket(struct http_server *server, const char *path)
{
    struct daemon *const daemon = &server->daemons[server->n_daemons];
    int fd, r;

    r = listen_unix_open(path, &server->control_place, &fd);
    if (r < 0)
        return r;
    r = serve_socket(server, fd, 0);
    daemon->is_control = daemon->may_control = true;
    if (r < 0) {
        server->n_daemons--;
        unix_place_done(&server->control_place);
        daemon_done(daemon);
    }
    return r;
}

int http_server_start(struct http_server *server)
{
    int r;

    (void)site_turn_gate(&server->site); /* before anybody is accepted */
    server->heartbeat_ns = clock_monotonic_ns();
    r = thread_start("http", THREAD_HAS_NONE, serve, server, &server->thread);
    server->started = r == 0;
    return r;
}

uint16_t http_server_port(const struct http_server *server, size_t i)
{
    return server->ports[i];
}

void http_server_news(struct http_server *server)
{
    wake(server->news_fd);
}

uint64_t http_server_heartbeat_ns(const struct http_server *server)
{
    return atomic_load_explicit(&server->heartbeat_ns, memory_order_relaxed);
}

void http_server_status(const struct http_server *server, struct http_status *ret_status)
{
    connection_table_status(&server->connections, ret_status);
    gate_status(&server->site.gate, ret_status);
}

void http_server_stop(struct http_server *server)
{
    if (!server || !server->started)
        return;
    wake(server->stop_fd);
    (void)pthread_join(server->thread, NULL);
    server->started = false;
}

struct http_server *http_server_free(struct http_server *server)
{
    if (!server)
        return NULL;
    http_server_stop(server);
    site_close(&server->site);
    unix_place_done(&server->control_place);
    for (size_t i = 0; i < server->n_daemons; i++)
        daemon_done(&server->daemons[i]);
    free(server->daemons);
    free(server->ports);
    server->deferred_source = sd_event_source_disable_unref(server->deferred_source);
    server->news_source = sd_event_source_disable_unref(server->news_source);
    site_done(&server->site);
    connection_table_done(&server->connections);
    server->ticking = sd_event_source_disable_unref(server->ticking);
    server->gate_source = sd_event_source_disable_unref(server->gate_source);
    server->answers_source = sd_event_source_disable_unref(server->answers_source);
    server->stop_source = sd_event_source_disable_unref(server->stop_source);
    server->event = sd_event_unref(server->event);
    cleanup_close(&server->stop_fd);
    cleanup_close(&server->news_fd);
    free(server);
    return NULL;
}
