/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Listen addresses: their text form, and the sockets that are bound to them. */

#include <stdint.h>

/*
 * Opens a listening socket for "HOST:PORT", ":PORT" or "[IPV6]:PORT". The socket is
 * non-blocking and closed on exec. Without a host it takes IPv6 and IPv4, or IPv4
 * alone where the machine has no IPv6; a host name takes its first IPv4 address, or
 * its first address where it has none. `ret_port` is the port that was bound.
 *
 * 0; -EINVAL: not an address; -EADDRNOTAVAIL: the name has no address here; -EAGAIN:
 * the resolver does not answer; else -errno of socket(2), bind(2) or listen(2).
 */
int listen_open(const char *address, int *ret_fd, uint16_t *ret_port);

/*
 * Prepares a listening stream socket that is there already, of whatever family, as
 * listen_open() does its own. `ret_port` is 0 where the family has none. 0 or -errno.
 */
int listen_adopt(int fd, uint16_t *ret_port);
