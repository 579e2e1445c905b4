/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places are a fixed array, so that no connection fails here for want of memory, and so that
 * one walk over it finds all deadlines that have passed: it takes one or two microseconds for 512
 * places, twice a second. To keep the places sorted instead would cost every request something.
 * Holders are found by a walk too, at each accept.
 */
#include "web/connections.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "web/room.h"

/* What was cut and libmicrohttpd has not seen, it closes so late. */
#define CUT_SECONDS 1U

/* Another thread reads the counts; only ours writes them. */
static void count(_Atomic uint64_t *counter, int change)
{
    (void)atomic_fetch_add_explicit(counter, (uint64_t)change, memory_order_relaxed);
}

int connection_table_init(struct connection_table *table, const struct server_limits *limits)
{
    const unsigned n = limits->connections + DOOR_PLACES + 2 * CONTROL_PLACES;

    *table = (struct connection_table){
        .limits = *limits,
        .places = calloc(n, sizeof(*table->places)),
        .addresses = calloc(n, sizeof(*table->addresses)),
        .networks = calloc(n, sizeof(*table->networks)),
        .n_places = n,
    };
    if (!table->places || !table->addresses || !table->networks) {
        connection_table_done(table);
        return -ENOMEM;
    }
    for (unsigned i = n; i-- > 0;) {
        table->places[i] = (struct connection){.fd = -1, .next_free = table->free};
        table->free = &table->places[i];
    }
    return 0;
}

void connection_table_done(struct connection_table *table)
{
    free(table->places);
    free(table->addresses);
    free(table->networks);
    memset(table, 0, sizeof(*table));
}

bool connection_table_has_place(const struct connection_table *table, bool on_control)
{
    if (on_control)
        return table->n_taken[true] < 2 * CONTROL_PLACES;
    return table->n_taken[false] < table->limits.connections + DOOR_PLACES;
}

/* Counts one connection more for a holder. There is a free entry for it: as many as places. */
static struct holder *hold(struct holder *holders, unsigned n, const struct peer_name *name)
{
    unsigned found = 0, free_entry = n;

    for (; found < n; found++) {
        if (holders[found].n > 0 && peer_name_equal(&holders[found].name, name))
            break;
        if (holders[found].n == 0 && free_entry == n)
            free_entry = found;
    }
    if (found == n)
        found = free_entry;
    holders[found].name = *name;
    holders[found].n++;
    return &holders[found];
}

/* A connection that is cut is not counted any more: it must not cause others to be cut. */
static void stop_counting(struct connection_table *table, struct connection *connection)
{
    if (connection->cut)
        return;
    connection->cut = true;
    connection->address->n--;
    connection->network->n--;
    if (!connection->on_control)
        table->n_clients--;
}

/*
 * Ends a connection that libmicrohttpd owns: it sees the hang-up in its next turn. What a slow
 * reader has not taken is thrown away with a reset; otherwise the kernel would go on to hold
 * megabytes for a socket that nobody owns.
 *
 * There is no hang-up to be seen where the client has reset the connection before, and
 * libmicrohttpd 0.9.75 forgets a connection whose response ends with an error after it was
 * suspended. So it is given a time, too: what has one is looked at in each turn.
 */
static void cut(struct connection_table *table, struct connection *connection)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    if (connection->phase == CONNECTION_RESPONSE)
        (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    (void)shutdown(connection->fd, SHUT_RDWR);
    if (connection->mhd)
        (void)MHD_set_connection_option(connection->mhd, MHD_CONNECTION_OPTION_TIMEOUT,
                                        CUT_SECONDS);
    stop_counting(table, connection);
}

/* Cuts a connection, if the newcomer is one too many. */
static void make_room(struct connection_table *table, const struct connection *newcomer)
{
    const struct holder *network = newcomer->network;
    const bool control_full = newcomer->on_control && network->n > CONTROL_PLACES;
    const bool network_full =
        !newcomer->on_control && network->n > table->limits.connections_per_address;
    struct connection *found;

    if (!control_full && !network_full && table->n_clients <= table->limits.connections)
        return;
    found =
        room_find(table, newcomer->on_control, network_full ? network : NULL, newcomer->since_ns);
    if (!found)
        return;
    cut(table, found);
    count(found == newcomer ? &table->counts.refused[HTTP_REFUSED_BUSY]
                            : &table->counts.closed[HTTP_CLOSED_ROOM],
          1);
}

bool connection_table_give_way(struct connection_table *table)
{
    struct connection *const found = room_find(table, false, NULL, clock_monotonic_ns());

    if (!found || found->network->n <= FEW_CONNECTIONS)
        return false;
    cut(table, found);
    count(&table->counts.closed[HTTP_CLOSED_ROOM], 1);
    return true;
}

struct connection *connection_add(struct connection_table *table, int fd, const struct peer *peer,
                                  bool on_control)
{
    struct connection *const connection = table->free;

    table->free = connection->next_free;
    *connection = (struct connection){
        .fd = fd,
        .on_control = on_control,
        .address = hold(table->addresses, table->n_places, &peer->address),
        .network = hold(table->networks, table->n_places, &peer->network),
    };
    table->n_taken[on_control]++;
    table->n_clients += on_control ? 0 : 1;
    count(&table->counts.open, 1);
    count(&table->counts.accepted, 1);
    connection_enter(connection, CONNECTION_HEADERS);
    make_room(table, connection);
    return connection;
}

void connection_remove(struct connection_table *table, struct connection *connection)
{
    stop_counting(table, connection);
    table->n_taken[connection->on_control]--;
    exchange_done(&connection->exchange);
    *connection = (struct connection){.fd = -1, .next_free = table->free};
    table->free = connection;
    count(&table->counts.open, -1);
}

void connection_table_refused(struct connection_table *table, enum http_refusal why)
{
    count(&table->counts.refused[why], 1);
}

void connection_enter(struct connection *connection, enum connection_phase phase)
{
    connection->phase = phase;
    connection->since_ns = clock_monotonic_ns();
}

static bool has_room(const struct connection_table *table, const struct connection *connection)
{
    const struct server_limits *const limits = &table->limits;

    return table->n_clients <= limits->connections / 2 &&
           (connection->address->n <= FEW_CONNECTIONS ||
            connection->network->n <= limits->connections_per_address / 2);
}

static uint64_t seconds_of(const struct connection_table *table,
                           const struct connection *connection)
{
    const struct server_limits *const limits = &table->limits;

    switch (connection->phase) {
    case CONNECTION_HEADERS:
        return limits->headers_seconds;
    case CONNECTION_RESPONSE:
        return limits->response_seconds;
    default:
        return has_room(table, connection) ? limits->idle_seconds : limits->crowded_idle_seconds;
    }
}

static bool is_past_its_time(const struct connection_table *table,
                             const struct connection *connection, uint64_t now_ns)
{
    return now_ns >= connection->since_ns + seconds_of(table, connection) * NS_PER_SECOND;
}

/*
 * Tells whether an idle client has left. libmicrohttpd does not always see that: where
 * the end comes together with the bytes of a second request, epoll reports both in one event, and
 * no other event follows.
 */
static bool has_ended(const struct connection *connection, uint64_t now_ns)
{
    return connection->phase == CONNECTION_IDLE && !connection->awaits_us &&
           now_ns >= connection->since_ns + NS_PER_SECOND && peer_has_left(connection->fd);
}

bool connection_table_expire(struct connection_table *table, uint64_t now_ns)
{
    bool has_cut = false;

    for (unsigned i = 0; i < table->n_places; i++) {
        struct connection *const connection = &table->places[i];

        has_cut |= connection->fd >= 0 && connection->cut;
        if (connection->fd < 0 || connection->cut || connection->awaits_us)
            continue;
        if (has_ended(connection, now_ns)) {
            cut(table, connection);
            continue;
        }
        if (!is_past_its_time(table, connection, now_ns))
            continue;
        count(&table->counts.closed[connection->phase == CONNECTION_IDLE ? HTTP_CLOSED_IDLE
                                                                         : HTTP_CLOSED_SLOW],
              1);
        cut(table, connection);
    }
    return has_cut;
}

void connection_table_cut_readers(struct connection_table *table, const struct body *body)
{
    for (unsigned i = 0; i < table->n_places; i++) {
        struct connection *const connection = &table->places[i];

        if (connection->fd < 0 || connection->cut || connection->body != body)
            continue;
        count(&table->counts.closed[HTTP_CLOSED_SLOW], 1);
        cut(table, connection);
    }
}

bool connection_table_may_read(const struct connection_table *table,
                               const struct connection *reader)
{
    unsigned n = 0;

    if (table->limits.scrapes == 0 || reader->on_control)
        return true;
    for (unsigned i = 0; i < table->n_places; i++) {
        const struct connection *const connection = &table->places[i];

        if (connection->fd >= 0 && connection->body && !connection->on_control)
            n++;
    }
    return n < table->limits.scrapes;
}

static bool is_lent(const struct connection *connection)
{
    return connection->fd >= 0 && !connection->cut && connection->answer_bytes > 0;
}

/* The bytes of answers that a network, or with NULL everybody, has not taken. */
static size_t lent_bytes(const struct connection_table *table, const struct holder *network)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < table->n_places; i++)
        if (is_lent(&table->places[i]) && (!network || table->places[i].network == network))
            bytes += table->places[i].answer_bytes;
    return bytes;
}

/* Whose answer gives way. */
static struct connection *find_lent(const struct connection_table *table)
{
    struct connection *found = NULL;
    size_t most = 0;

    for (unsigned i = 0; i < table->n_places; i++) {
        struct connection *const candidate = &table->places[i];
        const size_t bytes = is_lent(candidate) ? lent_bytes(table, candidate->network) : 0;

        if (bytes == 0 || bytes < most)
            continue;
        if (!found || bytes > most || candidate->since_ns < found->since_ns)
            found = candidate;
        most = bytes;
    }
    return found;
}

size_t connection_table_answer_bytes(const struct connection_table *table)
{
    const size_t wanted = table->limits.answer_bytes;

    return wanted && wanted < HTTP_ANSWER_BYTES ? wanted : HTTP_ANSWER_BYTES;
}

bool connection_table_lend(struct connection_table *table, struct connection *reader, size_t bytes)
{
    reader->answer_bytes = bytes;
    while (lent_bytes(table, NULL) > connection_table_answer_bytes(table)) {
        struct connection *const found = find_lent(table);

        if (!found || found == reader) {
            reader->answer_bytes = 0;
            return false;
        }
        count(&table->counts.closed[HTTP_CLOSED_SLOW], 1);
        cut(table, found);
    }
    return true;
}

unsigned connection_table_share(const struct connection_table *table, unsigned most)
{
    const struct server_limits *const limits = &table->limits;
    const unsigned share = most * limits->connections_per_address / limits->connections;

    return share < 1 ? 1 : share < most ? share : most;
}

void connection_table_status(const struct connection_table *table, struct http_status *ret_status)
{
    const struct connection_counts *const counts = &table->counts;

    ret_status->connections = atomic_load_explicit(&counts->open, memory_order_relaxed);
    ret_status->accepted = atomic_load_explicit(&counts->accepted, memory_order_relaxed);
    for (unsigned i = 0; i < HTTP_CLOSINGS_; i++)
        ret_status->closed[i] = atomic_load_explicit(&counts->closed[i], memory_order_relaxed);
    for (unsigned i = 0; i < HTTP_REFUSALS_; i++)
        ret_status->refused[i] = atomic_load_explicit(&counts->refused[i], memory_order_relaxed);
}
