/* SPDX-License-Identifier: Apache-2.0 */

/* The end of a channel: by itself, or because its client takes nothing. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "web/tls_channel_parts.h"

/* After the server's side has ended a client has so long for the rest. */
#define ENDED_PATIENCE_NS (5 * NS_PER_SECOND)

struct tls_channel *tls_channel_free(struct tls_channel *channel)
{
    if (!channel)
        return NULL;
    if (channel->previous) {
        *channel->previous = channel->next;
        if (channel->next)
            channel->next->previous = channel->previous;
    }
    channel->client_source = sd_event_source_disable_unref(channel->client_source);
    channel->server_source = sd_event_source_disable_unref(channel->server_source);
    if (channel->session)
        gnutls_deinit(channel->session);
    if (channel->client >= 0)
        (void)close(channel->client);
    if (channel->server >= 0)
        (void)close(channel->server);
    if (channel->rest)
        explicit_bzero(channel->rest, channel->rest_end);
    free(channel->rest);
    channel->protection = protection_unref(channel->protection);
    free(channel);
    return NULL;
}

/* Throws away what the client has not taken, which otherwise the kernel would hold for minutes. */
static void reset(struct tls_channel *channel)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(channel->client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    (void)tls_channel_free(channel);
}

static bool has_server_ended(const struct tls_channel *channel)
{
    struct pollfd end = {.fd = channel->server};

    return poll(&end, 1, 0) == 1 && (end.revents & POLLHUP);
}

static bool is_past_its_time(struct tls_channel *channel, uint64_t now_ns)
{
    if (!channel->is_stuck)
        return false;
    if (channel->ended_ns == 0 && has_server_ended(channel))
        channel->ended_ns = now_ns;
    return now_ns >= channel->stuck_ns + channel->channels->patience_ns ||
           (channel->ended_ns > 0 && now_ns >= channel->ended_ns + ENDED_PATIENCE_NS);
}

void tls_channels_expire(struct tls_channels *channels, uint64_t now_ns)
{
    struct tls_channel *next;

    for (struct tls_channel *channel = channels->first; channel; channel = next) {
        next = channel->next;
        if (is_past_its_time(channel, now_ns))
            reset(channel);
    }
}

void tls_channels_done(struct tls_channels *channels)
{
    while (channels->first)
        (void)tls_channel_free(channels->first);
}
