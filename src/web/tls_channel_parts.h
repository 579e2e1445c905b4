/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a channel holds, and what its files do for each other. */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "web/tls_channel.h"

enum channel_phase { CHANNEL_GREETING, CHANNEL_HANDSHAKE, CHANNEL_OPEN };

struct tls_channel {
    struct tls_channels *channels;
    struct tls_channel *next;
    struct tls_channel **previous; /* where the pointer to this one stands */
    struct protection *protection;
    gnutls_session_t session;
    int client, server;
    sd_event_source *client_source, *server_source;
    enum channel_phase phase;
    bool client_has_ended;
    bool is_stuck; /* GnuTLS holds a record that the client's socket has no room for */
    uint64_t stuck_ns;
    uint64_t ended_ns; /* the server's side was seen to have ended while it is stuck */
    char *rest;        /* what the server's side had no room for: from rest_at up to rest_end */
    size_t rest_at, rest_end;
};

struct tls_channel *tls_channel_free(struct tls_channel *channel);
DEFINE_AUTO(tls_channel, struct tls_channel *, tls_channel_free)

/* tls_passage.c. Each returns false if the channel is over. */

/* Takes what the client has sent. */
bool tls_channel_take(struct tls_channel *channel);

/* Passes on what the server's side had no room for. */
bool tls_channel_pass_rest(struct tls_channel *channel);

/* Notes what came of sending a record. */
bool tls_channel_has_sent(struct tls_channel *channel, ssize_t r);

/* Sends what the server's side has written. On false the channel is freed. */
bool tls_channel_give(struct tls_channel *channel);
