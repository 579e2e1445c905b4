/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The addresses to listen on: their form as text, and the sockets that are bound to them. */

#include <stdint.h>

/*
 * Opens a listening socket for "HOST:PORT", ":PORT" or "[IPV6]:PORT". The socket is non-blocking
 * and closed on exec. Without a host it listens on IPv6 and IPv4, or on IPv4 alone if the machine
 * has no IPv6. For a host name it listens on the first IPv4 address of it, or, if it has none, on
 * its first address. `ret_port` is the port that was bound.
 *
 * Returns 0; -EINVAL: the text is no address; -EADDRNOTAVAIL: the name has no address here;
 * -EAGAIN: the resolver does not answer; otherwise -errno of socket(2), bind(2) or listen(2).
 */
int listen_open(const char *address, int *ret_fd, uint16_t *ret_port);

/*
 * Prepares a stream socket that listens already, of any family, in the way of listen_open().
 * `ret_port` is 0 if the family has no ports. 0 or -errno.
 */
int listen_adopt(int fd, uint16_t *ret_port);
