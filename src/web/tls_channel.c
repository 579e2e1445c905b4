/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd 0.9.75 can speak TLS itself, but with epoll it spins while a handshake waits for
 * its client, reads a long head in pieces of 25 bytes, one in 10 ms, and has one certificate for
 * each daemon. Here a half handshake costs nothing: the channel waits for what GnuTLS wants. To
 * libmicrohttpd the connection is there from the moment when it was accepted, so that the deadline
 * for a request and the limits of connections hold for handshakes too. And each handshake takes the
 * credentials that are in force, so that certificates change, and TLS itself comes and goes,
 * without a restart.
 */
#include "web/tls_channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "web/tls_channel_parts.h"
#include "web/tls_priorities.h"

/* The descriptors wake the loop for what the channel can do now, and for nothing else. */
static void wait_for_more(struct tls_channel *channel)
{
    const bool takes = !channel->client_has_ended && channel->rest_at == channel->rest_end;
    const bool writes = channel->is_stuck || (channel->phase == CHANNEL_HANDSHAKE &&
                                              gnutls_record_get_direction(channel->session) == 1);
    const uint32_t client = (takes ? EPOLLIN : 0) | (writes ? EPOLLOUT : 0);
    const uint32_t server =
        (channel->is_stuck ? 0 : EPOLLIN) | (channel->rest_at < channel->rest_end ? EPOLLOUT : 0);

    (void)sd_event_source_set_io_events(channel->client_source, client);
    (void)sd_event_source_set_io_events(channel->server_source, server);
    (void)sd_event_source_set_enabled(channel->server_source, server ? SD_EVENT_ON : SD_EVENT_OFF);
}

/* Somebody speaks HTTP to a port of HTTPS: a word helps more than an alert in binary. */
static bool is_plain_http(struct tls_channel *channel)
{
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\n"
                                 "Connection: close\r\n"
                                 "Content-Type: text/plain; charset=utf-8\r\n"
                                 "Content-Length: 40\r\n"
                                 "\r\n"
                                 "this port speaks TLS: ask with https://\n";
    char first = 0, bytes[4096];

    if (recv(channel->client, &first, 1, MSG_PEEK | MSG_DONTWAIT) != 1 || first < 'A' ||
        first > 'Z')
        return false;
    (void)recv(channel->client, bytes, sizeof(bytes), MSG_DONTWAIT);
    (void)send(channel->client, answer, sizeof(answer) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return true;
}

/* Goes on with the handshake. Returns false if it has failed. */
static bool shake_hands(struct tls_channel *channel)
{
    int r = gnutls_handshake(channel->session);

    if (r == GNUTLS_E_SUCCESS) {
        channel->phase = CHANNEL_OPEN;
        return tls_suites_allow(channel->protection->tls.suites, channel->session);
    }
    if (!gnutls_error_is_fatal(r))
        return true;
    (void)gnutls_alert_send_appropriate(channel->session, r);
    return false;
}

/* Does what can be done. The channel may be freed by that. */
static void turn(struct tls_channel *channel)
{
    bool goes_on = true;

    if (channel->phase == CHANNEL_GREETING) {
        goes_on = !is_plain_http(channel);
        channel->phase = CHANNEL_HANDSHAKE;
    }
    if (goes_on && channel->phase == CHANNEL_HANDSHAKE)
        goes_on = shake_hands(channel);
    if (goes_on && channel->phase == CHANNEL_OPEN && channel->is_stuck)
        goes_on = tls_channel_has_sent(channel, gnutls_record_send(channel->session, NULL, 0));
    if (goes_on && channel->phase == CHANNEL_OPEN)
        goes_on = tls_channel_take(channel);
    if (!goes_on) {
        (void)tls_channel_free(channel);
        return;
    }
    if (channel->phase == CHANNEL_OPEN && !tls_channel_give(channel))
        return;
    wait_for_more(channel);
}

static int on_client(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct tls_channel *const channel = context;

    (void)source, (void)fd;
    if ((events & (EPOLLHUP | EPOLLERR)) && (channel->client_has_ended || !(events & EPOLLIN)))
        (void)tls_channel_free(channel);
    else
        turn(channel);
    return 0;
}

static int on_server(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct tls_channel *const channel = context;

    (void)source, (void)fd;
    if (channel->phase != CHANNEL_OPEN) { /* Nothing was asked: the server has cut it. */
        (void)tls_channel_free(channel);
        return 0;
    }
    if ((events & (EPOLLOUT | EPOLLHUP)) && channel->rest_at < channel->rest_end &&
        !tls_channel_pass_rest(channel)) {
        explicit_bzero(channel->rest, channel->rest_end);
        channel->rest_at = channel->rest_end = 0; /* it listens no more, and may have answered */
    }
    turn(channel);
    return 0;
}

static int make_pair(struct tls_channel *channel, int *ret_fd)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return -errno;
    channel->server = pair[0];
    *ret_fd = pair[1];
    return 0;
}

static int put_on_loop(struct tls_channel *channel)
{
    sd_event *const event = channel->channels->event;
    int r = sd_event_add_io(event, &channel->client_source, channel->client, EPOLLIN, on_client,
                            channel);

    return r < 0 ? r
                 : sd_event_add_io(event, &channel->server_source, channel->server, EPOLLIN,
                                   on_server, channel);
}

static void enlist(struct tls_channel *channel)
{
    struct tls_channels *const channels = channel->channels;

    channel->next = channels->first;
    channel->previous = &channels->first;
    if (channel->next)
        channel->next->previous = &channel->next;
    channels->first = channel;
}

int tls_channel_open(struct tls_channels *channels, int fd, struct protection *protection,
                     int *ret_fd)
{
    AUTO(tls_channel) struct tls_channel *channel = calloc(1, sizeof(*channel));
    AUTO_CLOSE int end = -1;
    int r;

    if (!channel) {
        (void)close(fd);
        return -ENOMEM;
    }
    *channel = (struct tls_channel){
        .channels = channels, .protection = protection_ref(protection), .client = fd, .server = -1};
    r = make_pair(channel, &end);
    if (r == 0)
        r = tls_credentials_open(&protection->tls, &channel->session);
    if (r == 0)
        r = put_on_loop(channel);
    if (r < 0)
        return r;
    gnutls_transport_set_int(channel->session, fd);
    enlist(channel);
    (void)TAKE(channel);
    *ret_fd = TAKE_FD(end);
    return 0;
}
