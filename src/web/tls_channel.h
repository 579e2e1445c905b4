/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * TLS on a connection of a client. A channel stands between the client's socket and a pair of
 * sockets, of which libmicrohttpd has the other end and sees a plain connection there. It belongs
 * to the server's thread.
 */

#include <stdint.h>
#include <systemd/sd-event.h>

#include "web/protection_parts.h"

struct tls_channel;

/* The channels of one listening socket. */
struct tls_channels {
    sd_event *event;
    uint64_t patience_ns; /* a client has so long to take what waits for it */
    struct tls_channel *first;
};

/*
 * Opens a channel to a client, whose socket is taken over, also on failure, and begins the
 * handshake with the credentials of the protection. The end for libmicrohttpd, which does not
 * block, is handed over: when that is closed or shut down, the channel ends, also in the midst of a
 * handshake. Returns 0 or -errno.
 */
int tls_channel_open(struct tls_channels *channels, int fd, struct protection *protection,
                     int *ret_fd);

/* Ends channels whose client has not taken anything for too long. To be called now and then. */
void tls_channels_expire(struct tls_channels *channels, uint64_t now_ns);

void tls_channels_done(struct tls_channels *channels);
