/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A table of connections over socket pairs: a client's side sees what happens to it. */

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "web/connections.h"

#define MOST_PAIRS 64

struct pairs {
    struct connection_table table;
    unsigned n;
    int server[MOST_PAIRS];
    int client[MOST_PAIRS];
    struct connection *connections[MOST_PAIRS];
};

/* Names of clients: each two of them differ in one byte. */
static inline struct peer made_up_peer(uint8_t network, uint8_t address)
{
    return (struct peer){.address = {1, {network, address}}, .network = {2, {network}}};
}

static inline struct pairs *pairs_new(const struct server_limits *limits)
{
    struct pairs *const pairs = calloc(1, sizeof(*pairs));

    assert_non_null(pairs);
    assert_int_equal(0, connection_table_init(&pairs->table, limits));
    return pairs;
}

static inline void pairs_free(struct pairs *pairs)
{
    for (unsigned i = 0; i < pairs->n; i++) {
        (void)close(pairs->server[i]);
        (void)close(pairs->client[i]);
    }
    connection_table_done(&pairs->table);
    free(pairs);
}

/* Adds a connection, and returns its number. */
static inline unsigned pairs_add_as(struct pairs *pairs, const struct peer *peer, bool on_control)
{
    const unsigned i = pairs->n++;
    int both[2];

    assert_true(i < MOST_PAIRS);
    assert_int_equal(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both));
    pairs->server[i] = both[0];
    pairs->client[i] = both[1];
    assert_true(connection_table_has_place(&pairs->table, on_control));
    pairs->connections[i] = connection_add(&pairs->table, both[0], peer, on_control);
    return i;
}

static inline unsigned pairs_add(struct pairs *pairs, uint8_t network, uint8_t address)
{
    const struct peer peer = made_up_peer(network, address);

    return pairs_add_as(pairs, &peer, false);
}

static inline bool is_cut(const struct pairs *pairs, unsigned i)
{
    struct pollfd event = {.fd = pairs->client[i], .events = POLLIN};

    return poll(&event, 1, 0) == 1 && (event.revents & POLLHUP) != 0;
}

static inline struct http_status status_of_table(const struct pairs *pairs)
{
    struct http_status status;

    connection_table_status(&pairs->table, &status);
    return status;
}
