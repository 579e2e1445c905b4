/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who is connected, and until when. libmicrohttpd times out only clients that are silent, and lets
 * nobody in when all places are taken. Here each connection has a deadline that a client cannot
 * move by sending a byte now and then, and a connection that is idle makes room for a new one. All
 * functions belong to the server's thread, except connection_table_status(), which any may call.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "metric/http_status.h"
#include "web/answers.h"
#include "web/exchange.h"
#include "web/extra_headers.h"
#include "web/peer.h"
#include "web/server.h"

/* How many connections the control socket has. */
#define CONTROL_PLACES 4

/* How many newcomers are let in before the connections that make room for them are closed. */
#define DOOR_PLACES 4

struct body;

/* What the server waits for on a connection. */
enum connection_phase {
    CONNECTION_HEADERS,  /* The client is to send the rest of a request. */
    CONNECTION_RESPONSE, /* The client is to take the response. */
    CONNECTION_IDLE,     /* The client may send its next request. */
};

/* A client, as one address or as a whole network, and how many connections it has. */
struct holder {
    struct peer_name name;
    unsigned n; /* So many of its connections have not been cut; 0: the entry is free. */
};

struct connection {
    struct extra_headers extra_headers; /* It stands first, as extra_headers.h says. */
    struct MHD_Connection *mhd;         /* NULL until it is known */
    int fd; /* The descriptor is borrowed from libmicrohttpd; -1: the place is free. */
    enum connection_phase phase;
    bool on_control;     /* It came over the control socket. */
    bool may_control;    /* Its client may use commands and restricted pages. */
    bool awaits_us;      /* It is suspended until we answer, so it can neither be blamed nor cut. */
    bool cut;            /* libmicrohttpd is about to close it. */
    bool at_gate;        /* Its password is being looked at. */
    enum answer refusal; /* The gate has found this when the client's password was hashed. */
    uint64_t since_ns;   /* The phase began at this time of CLOCK_MONOTONIC. */
    struct holder *address;
    struct holder *network;
    struct exchange exchange;
    const struct body *body;      /* The client is reading this shared body, or NULL. */
    size_t answer_bytes;          /* It has not taken all of an answer of its own, of this size. */
    struct connection *next_free; /* The next place in the list of free places. */
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
    struct holder *addresses; /* The array has n_places entries. */
    struct holder *networks;  /* The array has n_places entries. */
    unsigned n_places;
    unsigned n_taken[2];     /* Clients have taken [0] places, the control socket has taken [1]. */
    unsigned n_clients;      /* So many connections of clients have not been cut. */
    struct connection *free; /* The first of the free places. */
    struct connection_counts counts;
};

/*
 * Makes places for as many connections as the limits allow, for the control socket, and for
 * newcomers on both. Returns 0 or -ENOMEM.
 */
int connection_table_init(struct connection_table *table, const struct server_limits *limits);
void connection_table_done(struct connection_table *table);

/*
 * Tells whether there is a place at this moment. If there is none, connections have been cut for
 * newcomers and are about to be closed. The control socket has places of its own, so that no number
 * of strangers can keep out a user who wants to control the service.
 */
bool connection_table_has_place(const struct connection_table *table, bool on_control);

/*
 * Adds a new connection, in CONNECTION_HEADERS; there has to be a place. If it is one too many, a
 * connection is cut, which may be the new one.
 */
struct connection *connection_add(struct connection_table *table, int fd, const struct peer *peer,
                                  bool on_control);
void connection_remove(struct connection_table *table, struct connection *connection);

/*
 * Cuts a connection of a network that has more than a few, for a newcomer for whom there is no
 * descriptor. The one that this frees is there in the next turn of libmicrohttpd. Returns false if
 * no network has so many.
 */
bool connection_table_give_way(struct connection_table *table);

/* Whether the limit of scrapes lets one more client read the body of a page. */
bool connection_table_may_read(const struct connection_table *table,
                               const struct connection *reader);

/*
 * How many of `most` places one network may take: as large a part of them as of the connections,
 * and one at least.
 */
unsigned connection_table_share(const struct connection_table *table, unsigned most);

/*
 * A client is about to get an answer that is made for it alone. If all of them are more than
 * limits.answer_bytes, until they are taken, the network that has most
 * loses the one that has been read longest. Returns false if that is the new one.
 */
bool connection_table_lend(struct connection_table *table, struct connection *reader, size_t bytes);

/* limits.answer_bytes, or what it stands for. */
size_t connection_table_answer_bytes(const struct connection_table *table);

/* Counts a client that was not let in. */
void connection_table_refused(struct connection_table *table, enum http_refusal why);

/* Enters a phase, whose time begins now. */
void connection_enter(struct connection *connection, enum connection_phase phase);

/*
 * Cuts each connection that has had the time of its phase; libmicrohttpd then closes it. An idle
 * connection may wait longer while there is room: while at most half of the places are taken, and
 * its address has few connections or its network at most half of what it may have. A connection
 * whose client has left is cut too, but not counted, because the client left by itself. Returns
 * true where some that were cut before are not closed yet, for which libmicrohttpd has to have a
 * turn.
 */
bool connection_table_expire(struct connection_table *table, uint64_t now_ns);

/* Cuts each connection that is reading this body. */
void connection_table_cut_readers(struct connection_table *table, const struct body *body);

/* Tells how many connections there are and were. Any thread may ask. */
void connection_table_status(const struct connection_table *table, struct http_status *ret_status);
