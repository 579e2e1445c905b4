/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is connected, and until when. libmicrohttpd times out only those who are
 * silent, and lets nobody in where all places are taken; here each connection has a
 * deadline that no trickle of bytes moves, and who is at rest makes room for who comes.
 * All of it belongs to the server's thread; only connection_table_status() is for any.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "metric/http_status.h"
#include "web/peer.h"
#include "web/request.h"
#include "web/server.h"

#define CONTROL_PLACES 4

/* Newcomers are let in before it is known who makes room for them. */
#define DOOR_PLACES 4

struct body;
struct served_route;

/* What a connection is waited for. */
enum connection_phase {
    CONNECTION_HEADERS,  /* its first request to be complete */
    CONNECTION_RESPONSE, /* the response to be taken */
    CONNECTION_IDLE,     /* the next request */
};

/* Who holds connections, of those that have not been cut. */
struct holder {
    struct peer_name name;
    unsigned n; /* 0: a free entry */
};

struct connection {
    int fd; /* borrowed from libmicrohttpd; -1: a free place */
    enum connection_phase phase;
    bool on_control;
    bool may_control; /* reload and pause may be asked for here */
    bool awaits_us;   /* suspended: it can neither be blamed nor cut */
    bool cut;         /* libmicrohttpd is about to close it */
    uint64_t since_ns;
    struct holder *address;
    struct holder *network;
    struct asked asked; /* what it asks for: meaningful from the first line of a request on */
    struct served_route *route;   /* what its path leads to; NULL: to nothing */
    char *query;                  /* the arguments as they were sent, where the route takes any */
    const struct body *body;      /* the shared body that it is reading, or NULL */
    struct connection *next_free; /* of a free place */
};

struct connection_counts {
    _Atomic uint64_t open;
    _Atomic uint64_t accepted;
    _Atomic uint64_t closed[HTTP_CLOSINGS_];
    _Atomic uint64_t refused[HTTP_REFUSALS_];
};

struct connection_table {
    struct server_limits limits;
    struct connection *places;
    struct holder *addresses; /* as many as there are places, like the next */
    struct holder *networks;
    unsigned n_places;
    unsigned n_taken[2]; /* places: of clients, and on the control socket */
    unsigned n_clients;  /* those that have not been cut */
    struct connection *free;
    struct connection_counts counts;
};

/* Makes room for as many connections as the limits allow, and the places above. 0 or -ENOMEM. */
int connection_table_init(struct connection_table *table, const struct server_limits *limits);
void connection_table_done(struct connection_table *table);

/*
 * Whether there is a place at this moment. Where there is none, as many as may be let in
 * at once are about to be closed. The control socket has places of its own, so that
 * strangers, however many, do not keep out who wants to control us.
 */
bool connection_table_has_place(const struct connection_table *table, bool on_control);

/*
 * A new connection, in CONNECTION_HEADERS, where there is a place. If it is one too many
 * somebody is cut off, who may be the newcomer.
 */
struct connection *connection_add(struct connection_table *table, int fd, const struct peer *peer,
                                  bool on_control);
void connection_remove(struct connection_table *table, struct connection *connection);

/*
 * There is no descriptor for who comes: somebody of a network that holds more than a few is cut
 * off, whose descriptor is free in the next turn of libmicrohttpd. False where nobody is.
 */
bool connection_table_give_way(struct connection_table *table);

/* A client that was not let in. */
void connection_table_refused(struct connection_table *table, enum http_refusal why);

/* Enters a phase; its time begins now. */
void connection_enter(struct connection *connection, enum connection_phase phase);

/*
 * Cuts off whoever has had the time of its phase; libmicrohttpd then closes the connection.
 * An idle one waits longer while there is room: while less than half of the places are
 * taken, and its address holds few or its network less than half of what it may. One whose
 * client has closed its side goes too, uncounted: it has left.
 */
void connection_table_expire(struct connection_table *table, uint64_t now_ns);

/* Cuts off whoever is reading this body. */
void connection_table_cut_readers(struct connection_table *table, const struct body *body);

/* From any thread. */
void connection_table_status(const struct connection_table *table, struct http_status *ret_status);
