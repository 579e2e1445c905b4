/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is connected, and until when. libmicrohttpd times out only those who are
 * silent; here each connection has a deadline that no trickle of bytes moves. All
 * of it belongs to the server's thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "web/server.h"

#define CONTROL_PLACES 4

struct body;

/* What a connection is waited for. */
enum connection_phase {
    CONNECTION_HEADERS,  /* its first request to be complete */
    CONNECTION_RESPONSE, /* the response to be taken */
    CONNECTION_IDLE,     /* the next request */
};

struct connection {
    int fd; /* borrowed from libmicrohttpd; -1: a free place */
    enum connection_phase phase;
    bool may_control; /* reload and pause may be asked for here */
    uint64_t deadline_ns;
    const struct body *body;      /* the shared body that it is reading, or NULL */
    struct connection *next_free; /* of a free place */
};

struct connection_table {
    struct connection *places;
    unsigned n_places;
    unsigned n_used;
    struct connection *free;
    uint64_t phase_ns[3]; /* by enum connection_phase */
};

/* Makes room for as many connections as the limits allow, and CONTROL_PLACES. 0 or -ENOMEM. */
int connection_table_init(struct connection_table *table, const struct server_limits *limits);
void connection_table_done(struct connection_table *table);

/*
 * Whether nobody more can be let in. So that strangers, however many, do not keep out
 * who wants to control us, a few places are left to the control socket.
 */
static inline bool connection_table_full(const struct connection_table *table, bool on_control)
{
    return table->n_used + (on_control ? 0 : CONTROL_PLACES) >= table->n_places;
}

/* A new connection, in CONNECTION_HEADERS; NULL where the table is full. */
struct connection *connection_add(struct connection_table *table, int fd);
void connection_remove(struct connection_table *table, struct connection *connection);

/* Enters a phase, and sets the deadline that it has from now. */
void connection_enter(const struct connection_table *table, struct connection *connection,
                      enum connection_phase phase);

/* Cuts off whoever is past the deadline; libmicrohttpd then closes the connection. */
void connection_table_expire(struct connection_table *table, uint64_t now_ns);

/* Cuts off whoever is reading this body. */
void connection_table_cut_readers(struct connection_table *table, const struct body *body);
