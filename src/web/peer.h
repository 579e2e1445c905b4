/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who a client is, so that places can be shared fairly: its address, and its whole network. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct peer_name {
    uint8_t kind;
    uint8_t bytes[16];
};

struct peer {
    struct peer_name address;
    /*
     * A network holds all the addresses that the client can take as it likes: it is this machine's
     * loopback network, or the /64 of an IPv6 address. Otherwise it is the client's address.
     */
    struct peer_name network;
};

/*
 * Finds out who a socket and address of accept(2) are. IPv4 within IPv6 is taken for IPv4. A client
 * on a Unix socket is known by its user; all clients of the control socket are one.
 */
void peer_init(struct peer *peer, int fd, const struct sockaddr *address, bool on_control);

/* Whether the client has closed its side or reset the connection, whatever it sent before. */
bool peer_has_left(int fd);

bool peer_name_equal(const struct peer_name *a, const struct peer_name *b);
