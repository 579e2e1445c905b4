/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All that answers requests: the table, what is shared, and who waits. */

#include <microhttpd.h>

#include "web/answers.h"
#include "web/connections.h"
#include "web/control_routes.h"
#include "web/deferred_desk.h"
#include "web/gate.h"
#include "web/route.h"
#include "web/routing.h"
#include "web/stream.h"

struct site {
    struct routing routing;
    void *context; /* The functions of the routes get it. */
    struct answers answers;
    struct control_routes control;
    struct deferred_desk desk;
    struct gate gate;
    struct stream_table streams;
    struct compression compression;
    struct negotiation_memory negotiations;
    struct connection_table *connections;
};

/*
 * The routes and the connections are borrowed for the site's life. Returns 0; -EINVAL: a route is
 * not complete, as routing_init() says; -errno. site_done() is to be called also then.
 */
int site_init(struct site *site, const struct route_table *table,
              struct connection_table *connections);

/*
 * Answers those that have waited too long, and looks after the streams. Returns true if a
 * connection was resumed: the daemons then have to turn.
 */
bool site_tick(struct site *site, uint64_t now_ns);

/*
 * Goes on with what waits at the gate, and changes the answers where another protection is in force
 * now. Returns true as site_tick() does.
 */
bool site_turn_gate(struct site *site);

/* Lets go of all connections; to be called before the daemons are stopped, and site_done() after.
 */
void site_close(struct site *site);
void site_done(struct site *site);
