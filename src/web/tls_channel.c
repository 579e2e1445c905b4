/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd 0.9.75 can speak TLS itself, but with epoll it spins while a handshake waits for
 * its client, reads a long head in pieces of 25 bytes, one in 10 ms, and has one certificate for
 * each daemon. Here a half handshake costs nothing: the channel waits for what GnuTLS wants. To
 * libmicrohttpd the connection is there from the moment when it was accepted, so that the deadline
 * for a request and the limits of connections hold for handshakes too. And each handshake takes the
 * credentials that are in force, so that certificates change, and TLS itself comes and goes,
 * without a restart.
 *
 * What GnuTLS has decrypted is wiped once it is passed on: it may hold a password.
 */
#include "web/tls_channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "web/tls_priorities.h"

/* A record of TLS holds so much; GnuTLS takes it whole. */
#define RECORD 16384

/* Records that are passed on before others have their turn. */
#define RECORDS_PER_TURN 8

/* After the server's side has ended a client has so long for the rest. */
#define ENDED_PATIENCE_NS (5 * NS_PER_SECOND)

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

static struct tls_channel *channel_free(struct tls_channel *channel)
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
DEFINE_AUTO(channel, struct tls_channel *, channel_free)

/* Throws away what the client has not taken, which otherwise the kernel would hold for minutes. */
static void reset(struct tls_channel *channel)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(channel->client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    (void)channel_free(channel);
}

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

/* Passes bytes on to the server's side, and keeps what that has no room for. false: it is over. */
static bool pass_on(struct tls_channel *channel, const unsigned char *bytes, size_t n)
{
    ssize_t sent = send(channel->server, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent < 0 && errno != EAGAIN && errno != EINTR)
        return false;
    sent = sent < 0 ? 0 : sent;
    if ((size_t)sent == n)
        return true;
    free(channel->rest);
    channel->rest_at = 0;
    channel->rest_end = n - (size_t)sent;
    channel->rest = malloc(channel->rest_end);
    if (!channel->rest) {
        channel->rest_end = 0;
        return false;
    }
    memcpy(channel->rest, bytes + sent, channel->rest_end);
    return true;
}

static bool pass_rest(struct tls_channel *channel)
{
    ssize_t sent = send(channel->server, channel->rest + channel->rest_at,
                        channel->rest_end - channel->rest_at, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (sent < 0)
        return errno == EAGAIN || errno == EINTR;
    channel->rest_at += (size_t)sent;
    if (channel->rest_at == channel->rest_end) {
        explicit_bzero(channel->rest, channel->rest_end);
        free(TAKE(channel->rest));
        channel->rest_at = channel->rest_end = 0;
        if (channel->client_has_ended)
            (void)shutdown(channel->server, SHUT_WR);
    }
    return true;
}

static bool end_of_client(struct tls_channel *channel)
{
    channel->client_has_ended = true;
    if (channel->rest_at == channel->rest_end)
        (void)shutdown(channel->server, SHUT_WR);
    return true;
}

/* Takes one record. Returns false if the channel is over. */
static bool take_record(struct tls_channel *channel, bool *ret_more)
{
    gnutls_packet_t packet = NULL;
    gnutls_datum_t datum;
    bool goes_on;
    ssize_t r = gnutls_record_recv_packet(channel->session, &packet);

    *ret_more = false;
    if (r == GNUTLS_E_AGAIN)
        return true;
    if (r == GNUTLS_E_INTERRUPTED || r == GNUTLS_E_WARNING_ALERT_RECEIVED) {
        *ret_more = true;
        return true;
    }
    if (r == 0 || r == GNUTLS_E_PREMATURE_TERMINATION)
        return end_of_client(channel);
    if (r < 0) /* also GNUTLS_E_REHANDSHAKE: nobody needs to negotiate anew */
        return false;
    gnutls_packet_get(packet, &datum, NULL);
    goes_on = pass_on(channel, datum.data, datum.size);
    explicit_bzero(datum.data, datum.size);
    gnutls_packet_deinit(packet);
    *ret_more = goes_on && channel->rest_at == channel->rest_end;
    return goes_on;
}

static bool take_from_client(struct tls_channel *channel)
{
    bool more = !channel->client_has_ended && channel->rest_at == channel->rest_end;

    /* What GnuTLS holds decrypted, no descriptor tells of. */
    for (unsigned n = 0;
         more && (n < RECORDS_PER_TURN || gnutls_record_check_pending(channel->session) > 0); n++)
        if (!take_record(channel, &more))
            return false;
    return true;
}

/* What came of sending a record. Returns false if the channel is over. */
static bool has_sent(struct tls_channel *channel, ssize_t r)
{
    const bool is_stuck = r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;

    if (is_stuck && !channel->is_stuck)
        channel->stuck_ns = clock_monotonic_ns();
    channel->is_stuck = is_stuck;
    return is_stuck || r >= 0;
}

/* The server's side has closed, and everything that it wrote is on its way. */
static void end_of_server(struct tls_channel *channel)
{
    char bytes[4096];

    (void)gnutls_bye(channel->session, GNUTLS_SHUT_WR);
    (void)shutdown(channel->client, SHUT_WR);
    /* unread bytes would make close(2) send a reset, and the client lose the answer */
    for (unsigned n = 0; n < 16 && recv(channel->client, bytes, sizeof(bytes), MSG_DONTWAIT) > 0;)
        n++;
    (void)channel_free(channel);
}

/* Sends what the server's side has written. Returns false if the channel is over, and freed. */
static bool give_to_client(struct tls_channel *channel)
{
    static _Thread_local char bytes[RECORD];
    const size_t most = gnutls_record_get_max_size(channel->session);

    for (unsigned n = 0; n < RECORDS_PER_TURN && !channel->is_stuck; n++) {
        const ssize_t got =
            recv(channel->server, bytes, most < RECORD ? most : RECORD, MSG_DONTWAIT);

        if (got == 0) {
            end_of_server(channel);
            return false;
        }
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (got < 0 ||
            !has_sent(channel, gnutls_record_send(channel->session, bytes, (size_t)got))) {
            (void)channel_free(channel);
            return false;
        }
    }
    return true;
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
        goes_on = has_sent(channel, gnutls_record_send(channel->session, NULL, 0));
    if (goes_on && channel->phase == CHANNEL_OPEN)
        goes_on = take_from_client(channel);
    if (!goes_on) {
        (void)channel_free(channel);
        return;
    }
    if (channel->phase == CHANNEL_OPEN && !give_to_client(channel))
        return;
    wait_for_more(channel);
}

static int on_client(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct tls_channel *const channel = context;

    (void)source, (void)fd;
    if ((events & (EPOLLHUP | EPOLLERR)) && (channel->client_has_ended || !(events & EPOLLIN)))
        (void)channel_free(channel);
    else
        turn(channel);
    return 0;
}

static int on_server(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct tls_channel *const channel = context;

    (void)source, (void)fd;
    if (channel->phase != CHANNEL_OPEN) { /* Nothing was asked: the server has cut it. */
        (void)channel_free(channel);
        return 0;
    }
    if ((events & (EPOLLOUT | EPOLLHUP)) && channel->rest_at < channel->rest_end &&
        !pass_rest(channel)) {
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
    AUTO(channel) struct tls_channel *channel = calloc(1, sizeof(*channel));
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
        (void)channel_free(channels->first);
}
