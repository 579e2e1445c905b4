/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One listening socket, and the libmicrohttpd daemon that serves it. */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "web/connections.h"
#include "web/routes.h"

struct daemon {
    int listen_fd;
    bool is_control;      /* the control socket: it has places of its own in the table */
    bool may_control;     /* who connects here may ask for reload and pause */
    struct peer newcomer; /* who is being handed over */
    struct MHD_Daemon *mhd;
    struct connection_table *connections;
    sd_event_source *accepting; /* the listen socket */
    sd_event_source *serving;   /* libmicrohttpd's epoll descriptor */
    sd_event_source
        *unfinished; /* one more turn: libmicrohttpd has work that no descriptor tells */
};

/*
 * Takes a listening socket over and puts the daemon on the loop. The daemon stays
 * where it is in memory; daemon_done() ends it also where this failed. -ENOMEM where
 * libmicrohttpd does not start, or what sd-event returned.
 */
int daemon_init(struct daemon *daemon, sd_event *event, int listen_fd, struct site *site);

/* Closes the socket and every connection, whatever they are doing. */
void daemon_done(struct daemon *daemon);

/* Goes on with a connection that was suspended and is resumed. */
void daemon_turn(struct daemon *daemon);

/* Tries again to accept, after descriptors or memory had run out. */
void daemon_resume(struct daemon *daemon);
