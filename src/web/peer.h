/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who a client is, for shares of the places: as one address, and as all that it can have. */

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
     * What one client has as many addresses of as it likes: this machine's loopback, the /64
     * of an IPv6 address; else the address.
     */
    struct peer_name network;
};

/*
 * From accept(2). IPv4 within IPv6 is taken for IPv4. Who comes over a Unix socket is
 * its user; over the control socket, all are one.
 */
void peer_init(struct peer *peer, int fd, const struct sockaddr *address, bool on_control);

bool peer_name_equal(const struct peer_name *a, const struct peer_name *b);
