/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A listening socket, and the libmicrohttpd daemon that serves its connections. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "web/connections.h"
#include "web/site.h"
#include "web/tls_channel.h"

struct daemon {
    int listen_fd;
    bool is_control;      /* It is the control socket, which has places of its own in the table. */
    bool may_control;     /* Commands and restricted pages are for who connects here. */
    struct peer newcomer; /* This client is being handed over to libmicrohttpd. */
    struct MHD_Daemon *mhd;
    struct connection_table *connections;
    struct protection *const *protection; /* where that which is in force stands */
    struct tls_channels tls;
    sd_event_source *accepting; /* It watches the listening socket. */
    sd_event_source *serving;   /* It watches libmicrohttpd's epoll descriptor. */
    sd_event_source
        *unfinished; /* It gives one more turn: libmicrohttpd has work that no descriptor tells. */
};

/*
 * Takes a listening socket over and puts the daemon on the loop. The daemon has to stay where it is
 * in memory; daemon_done() is to be called also if this fails. Returns 0; -ENOMEM if libmicrohttpd
 * does not start; or what sd-event returned.
 */
int daemon_init(struct daemon *daemon, sd_event *event, int listen_fd, struct site *site);

/* Closes the socket and every connection, whatever they are doing. */
void daemon_done(struct daemon *daemon);

/* Lets libmicrohttpd do what there is to do, as after a connection was resumed. */
void daemon_turn(struct daemon *daemon);

/*
 * Begins to accept again, after descriptors or memory had run out, and ends TLS that takes too
 * long.
 */
void daemon_tick(struct daemon *daemon, uint64_t now_ns);
