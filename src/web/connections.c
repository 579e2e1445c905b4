/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fixed array of places, so that a connection never fails for want of memory
 * here, and so that the deadlines are found by one walk over it: 512 places are
 * looked at in a microsecond or two, twice a second. To keep them sorted instead
 * would cost every request something.
 */
#include "web/connections.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"

int connection_table_init(struct connection_table *table, const struct server_limits *limits)
{
    *table = (struct connection_table){
        .places = calloc(limits->connections + CONTROL_PLACES, sizeof(*table->places)),
        .n_places = limits->connections + CONTROL_PLACES,
        .phase_ns = {[CONNECTION_HEADERS] = limits->headers_seconds * NS_PER_SECOND,
                     [CONNECTION_RESPONSE] = limits->response_seconds * NS_PER_SECOND,
                     [CONNECTION_IDLE] = limits->idle_seconds * NS_PER_SECOND},
    };
    if (!table->places)
        return -ENOMEM;
    for (unsigned i = table->n_places; i-- > 0;) {
        table->places[i] = (struct connection){.fd = -1, .next_free = table->free};
        table->free = &table->places[i];
    }
    return 0;
}

void connection_table_done(struct connection_table *table)
{
    free(table->places);
    *table = (struct connection_table){0};
}

struct connection *connection_add(struct connection_table *table, int fd)
{
    struct connection *const connection = table->free;

    if (!connection)
        return NULL;
    table->free = connection->next_free;
    table->n_used++;
    *connection = (struct connection){.fd = fd};
    connection_enter(table, connection, CONNECTION_HEADERS);
    return connection;
}

void connection_remove(struct connection_table *table, struct connection *connection)
{
    *connection = (struct connection){.fd = -1, .next_free = table->free};
    table->free = connection;
    table->n_used--;
}

void connection_enter(const struct connection_table *table, struct connection *connection,
                      enum connection_phase phase)
{
    connection->phase = phase;
    connection->deadline_ns = clock_monotonic_ns() + table->phase_ns[phase];
}

/*
 * Ends a connection that libmicrohttpd owns: it sees the hang-up in its next turn.
 * What a slow reader has not taken is thrown away with a reset, or the kernel would
 * go on to hold megabytes for a socket that nobody owns.
 */
static void cut(struct connection *connection)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    if (connection->phase == CONNECTION_RESPONSE)
        (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    (void)shutdown(connection->fd, SHUT_RDWR);
    connection->deadline_ns = UINT64_MAX;
}

void connection_table_expire(struct connection_table *table, uint64_t now_ns)
{
    if (table->n_used == 0)
        return;
    for (unsigned i = 0; i < table->n_places; i++)
        if (table->places[i].fd >= 0 && table->places[i].deadline_ns <= now_ns)
            cut(&table->places[i]);
}

void connection_table_cut_readers(struct connection_table *table, const struct body *body)
{
    for (unsigned i = 0; i < table->n_places; i++)
        if (table->places[i].fd >= 0 && table->places[i].body == body)
            cut(&table->places[i]);
}
