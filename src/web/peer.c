/* SPDX-License-Identifier: Apache-2.0 */
#include "web/peer.h"

#include <netinet/in.h>
#include <poll.h>
#include <string.h>

enum peer_kind {
    PEER_UNKNOWN,
    PEER_CONTROL,
    PEER_USER,
    PEER_LOOPBACK,
    PEER_IPV4,
    PEER_IPV6,
};

#define IPV4_SIZE        4
#define IPV6_SIZE        16
#define IPV6_PREFIX_SIZE 8 /* a /64, which a subnet has, and often a single host */

static void set_name(struct peer_name *name, enum peer_kind kind, const void *bytes, size_t size)
{
    *name = (struct peer_name){.kind = (uint8_t)kind};
    memcpy(name->bytes, bytes, size);
}

static void init_ipv4(struct peer *peer, const uint8_t *bytes)
{
    set_name(&peer->address, PEER_IPV4, bytes, IPV4_SIZE);
    peer->network = peer->address;
    if (bytes[0] == IN_LOOPBACKNET)
        set_name(&peer->network, PEER_LOOPBACK, "", 0);
}

static void init_ipv6(struct peer *peer, const struct in6_addr *address)
{
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        init_ipv4(peer, address->s6_addr + IPV6_SIZE - IPV4_SIZE);
        return;
    }
    set_name(&peer->address, PEER_IPV6, address->s6_addr, IPV6_SIZE);
    if (IN6_IS_ADDR_LOOPBACK(address))
        set_name(&peer->network, PEER_LOOPBACK, "", 0);
    else
        set_name(&peer->network, PEER_IPV6, address->s6_addr, IPV6_PREFIX_SIZE);
}

static void init_user(struct peer *peer, int fd)
{
    struct ucred user = {0};
    socklen_t length = sizeof(user);

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &length) == 0)
        set_name(&peer->address, PEER_USER, &user.uid, sizeof(user.uid));
    peer->network = peer->address;
}

void peer_init(struct peer *peer, int fd, const struct sockaddr *address, bool on_control)
{
    *peer = (struct peer){0};
    if (on_control)
        peer->address.kind = peer->network.kind = PEER_CONTROL;
    else if (address->sa_family == AF_INET)
        init_ipv4(
            peer,
            (const uint8_t *)&((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
    else if (address->sa_family == AF_INET6)
        init_ipv6(peer, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
    else
        init_user(peer, fd);
}

bool peer_name_equal(const struct peer_name *a, const struct peer_name *b)
{
    return a->kind == b->kind && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

bool peer_has_left(int fd)
{
    struct pollfd end = {.fd = fd, .events = POLLRDHUP};

    return poll(&end, 1, 0) > 0;
}
