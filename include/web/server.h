/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The HTTP server: one thread with an event loop of its own, one libmicrohttpd
 * daemon a listening socket. It shows what the pages below make and knows nothing
 * of counters.
 *
 *   telemetry path   the current text of /metrics
 *   /                links
 *   /-/healthy       200 while the server runs
 *   /-/ready         200, or 503 with the reason
 *   /-/reload        POST or PUT, where http_server_control() was called: the answer of
 *   /-/pause         whoever owns the slot, 200 or 500 with its text; 503 while another
 *                    request is being carried out, 504 where no answer comes
 *   else             404; other methods: 405; what is malformed: 400, and the end
 *
 * A web page of another origin gets 403 for what it would have done (web/origin.h).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "metric/http_status.h"
#include "web/control.h"

/*
 * A body that any number of responses share. `version` tells one text from the
 * next: while it stays, the body that was made is shown again and made no more.
 */
struct page_source {
    void *context; /* passed to the functions below; outlives the server */

    /* What the next text would be: changes with every new snapshot. 0: never keep it. */
    uint64_t (*version)(void *context);

    /*
     * Writes the text (Content-Type text/plain; version=0.0.4; charset=utf-8) into an
     * empty buffer. 0; -EAGAIN: there is nothing to show yet, the client gets 503; another
     * -errno: it gets 500. Called on the server's thread.
     */
    int (*render)(void *context, struct text *text);

    /* NULL when ready, else the reason in a few words (static). Called on the server's thread. */
    const char *(*not_ready)(void *context);
};

struct server_limits {
    /* Who comes to a full server is let in: who holds most gives up what rests longest. */
    unsigned connections;             /* 512 */
    unsigned connections_per_address; /* 128: of an IPv4 address, an IPv6 /64, all of loopback */
    unsigned headers_seconds;         /* 8: until a request is complete */
    unsigned response_seconds;        /* 30: until a response is taken */
    unsigned idle_seconds;            /* 120: between requests, while there is room, and else … */
    unsigned crowded_idle_seconds;    /* 12 */
};

struct http_server;

/*
 * Binds every address (see server_listen_check() for their form) and prepares the
 * daemons; nothing is answered before http_server_start(). The source is copied. On
 * failure `ret_address` is set to the address that failed, or to NULL. 0; -EADDRINUSE,
 * -EACCES, … from bind(2); -EADDRNOTAVAIL: also a host name without an address; -EAGAIN:
 * the resolver does not answer; -EINVAL: not an address, or with NULL: no address at all,
 * or a telemetry path that does not begin with a slash; -ENOMEM.
 */
int http_server_new(const char *const *addresses, size_t n_addresses, const char *telemetry_path,
                    const struct page_source *metrics, const struct server_limits *limits,
                    struct http_server **ret_server, const char **ret_address);

/*
 * The same on sockets that listen already, TCP or Unix, as systemd passes them. Each
 * that the server takes over becomes -1 in `fds`, also where it fails then. 0 or -errno;
 * -EINVAL: no socket at all, or the telemetry path as above.
 */
int http_server_new_on_sockets(int *fds, size_t n_fds, const char *telemetry_path,
                               const struct page_source *metrics,
                               const struct server_limits *limits, struct http_server **ret_server);

/*
 * Adds the routes that ask the owner of the slot, which outlives the server; before
 * http_server_start(). everywhere: on all sockets, else they answer 403 there and are
 * for the control socket alone. 0 or -errno.
 */
int http_server_control(struct http_server *server, struct control_slot *slot, bool everywhere);

/*
 * Answers on a Unix socket of this path too, which the process's own user alone can
 * open; there reload and pause may be asked for. Its directory is made where only that
 * is missing; http_server_free() removes the socket. Before http_server_start(), once.
 * 0; -EADDRINUSE: a living process listens there (what a dead one has left is
 * replaced); -EEXIST: there is something else; -ENAMETOOLONG; another -errno. The
 * server is as it was where it failed.
 */
int http_server_add_control_socket(struct http_server *server, const char *path);

/* Starts the thread. 0 or -errno. */
int http_server_start(struct http_server *server);

/* The port of address or socket i (for ":0", the one the kernel chose); 0 for a Unix socket. */
uint16_t http_server_port(const struct http_server *server, size_t i);

/* Who is connected, and who was sent away. From any thread. */
void http_server_status(const struct http_server *server, struct http_status *ret_status);

/* CLOCK_MONOTONIC of the last turn of the server's loop: the watchdog wants to see it move. */
uint64_t http_server_heartbeat_ns(const struct http_server *server);

/* Ends the thread and every connection, within a second, however many there are. Takes NULL. */
struct http_server *http_server_free(struct http_server *server);
DEFINE_AUTO(http_server, struct http_server *, http_server_free)

/* NULL if the text is an address ("HOST:PORT", ":PORT", "[IPV6]:PORT"), else what was expected. */
const char *server_listen_check(const char *address);
