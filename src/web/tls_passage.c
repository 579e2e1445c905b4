/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Bytes on their way through a channel, in both directions.
 *
 * What GnuTLS has decrypted is wiped once it is passed on: it may hold a password.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "web/tls_channel_parts.h"

/* A record of TLS holds so much; GnuTLS takes it whole. */
#define RECORD 16384

/* Records that are passed on before others have their turn. */
#define RECORDS_PER_TURN 8

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

bool tls_channel_pass_rest(struct tls_channel *channel)
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

bool tls_channel_take(struct tls_channel *channel)
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
bool tls_channel_has_sent(struct tls_channel *channel, ssize_t r)
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
    (void)tls_channel_free(channel);
}

/* Sends what the server's side has written. Returns false if the channel is over, and freed. */
bool tls_channel_give(struct tls_channel *channel)
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
        if (got < 0 || !tls_channel_has_sent(
                           channel, gnutls_record_send(channel->session, bytes, (size_t)got))) {
            (void)tls_channel_free(channel);
            return false;
        }
    }
    return true;
}
