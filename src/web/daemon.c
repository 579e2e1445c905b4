/* SPDX-License-Identifier: Apache-2.0 */
/*
 * We accept connections ourselves and hand them over (MHD_add_connection), because libmicrohttpd
 * 0.9.75 does not cope with descriptors running out: if it has no connection it spins, and if it
 * has one it accepts nobody before that one ends, which a scraper's may never do. Here the
 * listening socket leaves the loop until the server's next tick.
 *
 * If a first line has no space in it, as what a TLS client sends, libmicrohttpd closes without an
 * answer. So it is told not to shut a connection down (MHD_USE_TURBO), and just before it closes
 * the descriptor we answer ourselves, if the client has sent something and got nothing.
 *
 * libmicrohttpd's own timeouts are off, because connections.c has better ones, but for what that
 * has cut. So MHD_get_timeout() tells by 0 only that a turn has left work behind, or that such a
 * one is to be closed.
 */
#include "web/daemon.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "web/handler.h"

/* Bytes for the headers of a request and of its answer; larger requests get 431 or 414. */
#define CONNECTION_MEMORY 16384

#define ACCEPTS_PER_TURN 16

void daemon_turn(struct daemon *daemon)
{
    MHD_UNSIGNED_LONG_LONG timeout;

    (void)MHD_run(daemon->mhd);
    if (MHD_get_timeout(daemon->mhd, &timeout) == MHD_YES && timeout == 0)
        (void)sd_event_source_set_enabled(daemon->unfinished, SD_EVENT_ONESHOT);
}

static int on_serving(sd_event_source *source, int fd, uint32_t events, void *context)
{
    (void)source, (void)fd, (void)events;
    daemon_turn(context);
    return 0;
}

static int on_unfinished(sd_event_source *source, void *context)
{
    (void)source;
    daemon_turn(context);
    return 0;
}

/*
 * A client that has gone again is no failure. If descriptors or memory are short, nobody is
 * accepted before the next tick, unless a connection gives way: the limit of open files can be
 * lowered at any time, below what the table has places for.
 */
static void accept_has_failed(struct daemon *daemon, int error)
{
    if (error == EAGAIN || error == EINTR || error == ECONNABORTED)
        return;
    connection_table_refused(daemon->connections, error == ENOMEM || error == ENOBUFS
                                                      ? HTTP_REFUSED_NO_MEMORY
                                                      : HTTP_REFUSED_NO_DESCRIPTORS);
    if (!connection_table_give_way(daemon->connections))
        (void)sd_event_source_set_enabled(daemon->accepting, SD_EVENT_OFF);
}

/* Puts TLS between the client and libmicrohttpd, where there is to be any. */
static bool begin_tls(struct daemon *daemon, int *fd, struct sockaddr_storage *address,
                      socklen_t *length)
{
    struct protection *const protection = *daemon->protection;

    if (daemon->is_control || !protection || !protection->tls.certificates)
        return true;
    *address = (struct sockaddr_storage){.ss_family = AF_UNIX};
    *length = sizeof(address->ss_family);
    return tls_channel_open(&daemon->tls, *fd, protection, fd) == 0;
}

/* Returns false if there is nobody to accept now. */
static bool accept_one(struct daemon *daemon)
{
    struct sockaddr_storage address = {0};
    struct sockaddr *const any = (struct sockaddr *)&address;
    socklen_t length = sizeof(address);
    int fd;

    fd = accept4(daemon->listen_fd, any, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        accept_has_failed(daemon, errno);
        return false;
    }
    peer_init(&daemon->newcomer, fd, any, daemon->is_control);
    if (!begin_tls(daemon, &fd, &address, &length)) {
        connection_table_refused(daemon->connections, HTTP_REFUSED_NO_DESCRIPTORS);
        return true;
    }
    /* It closes the socket if it refuses. */
    if (MHD_add_connection(daemon->mhd, fd, any, length) != MHD_YES)
        connection_table_refused(daemon->connections, HTTP_REFUSED_NO_MEMORY);
    return true;
}

/*
 * The source stays on if the table is full: libmicrohttpd closes the connections that were cut in
 * the same turn of the loop, or the next.
 */
static int on_accepting(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct daemon *const daemon = context;
    unsigned n = 0;

    (void)source, (void)fd, (void)events;
    while (n++ < ACCEPTS_PER_TURN &&
           connection_table_has_place(daemon->connections, daemon->is_control))
        if (!accept_one(daemon))
            break;
    daemon_turn(daemon); /* The new connections are in no epoll yet. */
    return 0;
}

void daemon_tick(struct daemon *daemon, uint64_t now_ns)
{
    tls_channels_expire(&daemon->tls, now_ns);
    (void)sd_event_source_set_enabled(daemon->accepting, SD_EVENT_ON);
}

/* Tells whether the client has sent something and got nothing. A FIN counts as one byte. */
static bool awaits_answer(int fd)
{
    struct tcp_info info = {0};
    socklen_t length = sizeof(info);

    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           length >= offsetof(struct tcp_info, tcpi_bytes_sent) + sizeof(info.tcpi_bytes_sent) &&
           info.tcpi_bytes_sent == 0 && info.tcpi_bytes_received > 1;
}

/*
 * libmicrohttpd is about to close the connection. A client gets no answer here if it was cut, or
 * has had one.
 */
static void answer_garbage(const struct connection *connection)
{
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\n"
                                 "Connection: close\r\n"
                                 "Content-Type: text/plain; charset=utf-8\r\n"
                                 "Content-Length: 18\r\n"
                                 "\r\n"
                                 "malformed request\n";

    if (connection->phase == CONNECTION_HEADERS && !connection->cut &&
        awaits_answer(connection->fd))
        (void)send(connection->fd, answer, sizeof(answer) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void on_connection(void *context, struct MHD_Connection *mhd, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct daemon *const daemon = context;
    const union MHD_ConnectionInfo *info;
    struct connection *connection;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        connection = TAKE(*socket_context);
        answer_garbage(connection);
        connection_remove(daemon->connections, connection);
        return;
    }
    info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    connection = connection_add(daemon->connections, info->connect_fd, &daemon->newcomer,
                                daemon->is_control);
    connection->mhd = mhd;
    connection->may_control = daemon->may_control;
    connection->extra_headers.protection = daemon->protection;
    *socket_context = connection;
}

/* Keeps libmicrohttpd from decoding: we compare paths ourselves, as they were sent. */
static size_t leave_escaped(void *context, struct MHD_Connection *mhd, char *text)
{
    (void)context, (void)mhd;
    return strlen(text);
}

static struct MHD_Daemon *start(struct daemon *daemon, struct site *site)
{
    const struct MHD_OptionItem options[] = {
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)handler_on_target, site},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_escaped, NULL},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)handler_on_completed, site},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, daemon},
        /* Whoever comes has a place: the table decides who goes. */
        {MHD_OPTION_CONNECTION_LIMIT, site->connections->n_places, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, 0, NULL}, /* none, as said above */
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL}, /* The thread blocks it. */
        {MHD_OPTION_END, 0, NULL},
    };

    /* It does not log (MHD_USE_ERROR_LOG): no client is to be able to fill the log. */
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO, 0,
        NULL, NULL, handler_on_request, site, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static int put_on_loop(struct daemon *daemon, sd_event *event)
{
    const union MHD_DaemonInfo *const info =
        MHD_get_daemon_info(daemon->mhd, MHD_DAEMON_INFO_EPOLL_FD);
    int r;

    if (!info)
        return -ENOMEM;
    r = sd_event_add_io(event, &daemon->accepting, daemon->listen_fd, EPOLLIN, on_accepting,
                        daemon);
    if (r < 0)
        return r;
    r = sd_event_add_io(event, &daemon->serving, info->epoll_fd, EPOLLIN, on_serving, daemon);
    if (r < 0)
        return r;
    r = sd_event_add_defer(event, &daemon->unfinished, on_unfinished, daemon);
    if (r < 0)
        return r;
    return sd_event_source_set_enabled(daemon->unfinished, SD_EVENT_OFF);
}

int daemon_init(struct daemon *daemon, sd_event *event, int listen_fd, struct site *site)
{
    *daemon = (struct daemon){
        .listen_fd = listen_fd,
        .connections = site->connections,
        .protection = &site->gate.protection,
        .tls = {.event = event,
                .patience_ns = site->connections->limits.response_seconds * NS_PER_SECOND},
    };
    daemon->mhd = start(daemon, site);
    if (!daemon->mhd)
        return -ENOMEM;
    return put_on_loop(daemon, event);
}

void daemon_done(struct daemon *daemon)
{
    daemon->accepting = sd_event_source_disable_unref(daemon->accepting);
    daemon->serving = sd_event_source_disable_unref(daemon->serving);
    daemon->unfinished = sd_event_source_disable_unref(daemon->unfinished);
    if (daemon->mhd)
        MHD_stop_daemon(TAKE(daemon->mhd));
    tls_channels_done(&daemon->tls);
    if (daemon->listen_fd >= 0)
        (void)close(TAKE_FD(daemon->listen_fd));
}
