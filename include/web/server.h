/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The HTTP server: one thread with an event loop of its own, and one libmicrohttpd daemon for each
 * listening socket. It shows the pages of the table that it is given (web/route.h) and knows
 * nothing of what they are about. A path that the table does not have gets 404, a method that does
 * not fit it 405, and a malformed request 400, after which the connection is closed.
 *
 * A command of the table waits for the owner of the control slot: 200 or 500 with the owner's text,
 * 503 while another command is being carried out, 504 where no answer comes in time. A web page of
 * another origin gets 403 for a command (web/origin.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "metric/http_status.h"
#include "web/control.h"
#include "web/protection.h"
#include "web/route.h"

struct server_limits {
    /*
     * A newcomer to a full server is let in: the client that has most connections loses the one
     * that has been idle longest.
     */
    unsigned connections; /* 512 */
    /*
     * 128, for an IPv4 address, an IPv6 /64, all of loopback; and so of the places for streams and
     * for answers that are waited for
     */
    unsigned connections_per_address;
    unsigned headers_seconds;      /* 8, in which a request has to be complete */
    unsigned response_seconds;     /* 30, in which a response has to be taken */
    unsigned idle_seconds;         /* 120, between two requests while there is room */
    unsigned crowded_idle_seconds; /* 12, between two requests while there is little room */
    unsigned scrapes;              /* 0, which sets no limit: pages with versions at once */
    /*
     * Answers that are made for one client alone have so many bytes together at most, and streams a
     * quarter of it. 0: HTTP_ANSWER_BYTES, which is also the most.
     */
    size_t answer_bytes;
};

#define HTTP_ANSWER_BYTES ((size_t)64 * 1024 * 1024)

struct http_server;

/*
 * Binds every address (server_listen_check() tells their form) and prepares the daemons; nothing is
 * answered before http_server_start(). The table and its routes are borrowed for the server's life.
 * On failure `ret_address` is set to the address that failed, or to NULL where none has. Returns 0;
 * -EADDRINUSE, -EACCES, … from bind(2); -EADDRNOTAVAIL, also for a host name without an address;
 * -EAGAIN where the resolver does not answer; -EINVAL where that is no address, or, with NULL,
 * where there is no address at all or a route is not one of page, command, question and stream;
 * -ENOMEM.
 */
int http_server_new(const char *const *addresses, size_t n_addresses,
                    const struct route_table *table, const struct server_limits *limits,
                    struct http_server **ret_server, const char **ret_address);

/*
 * Does the same on sockets that listen already, TCP or Unix, as systemd passes them. Each one that
 * the server takes over becomes -1 in `fds`, also where the call fails after that. Returns 0 or
 * -errno; -EINVAL where there is no socket at all, or for a route as above.
 */
int http_server_new_on_sockets(int *fds, size_t n_fds, const struct route_table *table,
                               const struct server_limits *limits, struct http_server **ret_server);

/*
 * Adds the commands of the table, which the owner of the slot carries out; without this call they
 * get 404. The slot outlives the server. everywhere: a client may give them on all sockets;
 * otherwise they are for the control socket alone, and get 403 elsewhere. To be called before
 * http_server_start(). Returns 0 or -errno.
 */
int http_server_control(struct http_server *server, struct control_slot *slot, bool everywhere);

/*
 * Answers also on a Unix socket of this path, to which only the process's own user can connect;
 * commands may be given there. Makes the directory of the socket if only that is missing;
 * http_server_free() removes the socket. To be called once, before http_server_start(). Returns 0;
 * -EADDRINUSE: a living process listens there (a socket that a dead one has left is replaced);
 * -EEXIST: what stands there is no socket; -ENAMETOOLONG; another -errno. If it fails, the server
 * is as it was.
 */
int http_server_add_control_socket(struct http_server *server, const char *path);

/*
 * Puts a protection into force for all sockets but the control socket, from the next connection and
 * request on; the reference is taken over. Without it nobody is asked who he is. Any thread may
 * call it, whenever the protection is to change.
 */
void http_server_protect(struct http_server *server, struct protection *protection);

/* Starts the thread. 0 or -errno. */
int http_server_start(struct http_server *server);

/* The port of address or socket i (for ":0", the one the kernel chose); 0 for a Unix socket. */
uint16_t http_server_port(const struct http_server *server, size_t i);

/* Tells how many clients are connected, and how many were sent away. Any thread may ask. */
void http_server_status(const struct http_server *server, struct http_status *ret_status);

/*
 * Says that the streams of the table (route->next) may have something new. Any thread may call it;
 * it never waits.
 */
void http_server_news(struct http_server *server);

/* CLOCK_MONOTONIC of the last turn of the server's loop. The watchdog looks whether it moves. */
uint64_t http_server_heartbeat_ns(const struct http_server *server);

/*
 * Ends the thread: no page is asked for an answer any more, so what pages look at may go, while
 * what is given to the server (http_server_protect()) can still be given. Takes NULL, and twice.
 */
void http_server_stop(struct http_server *server);

/* Ends the thread and every connection, within a second, however many there are. Takes NULL. */
struct http_server *http_server_free(struct http_server *server);
DEFINE_AUTO(http_server, struct http_server *, http_server_free)

/* Returns NULL if the text is "HOST:PORT", ":PORT" or "[IPV6]:PORT", else what was expected. */
const char *server_listen_check(const char *address);
