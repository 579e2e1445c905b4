/* SPDX-License-Identifier: Apache-2.0 */
#include "web/site.h"

#include "base/clock.h"

/* Questions that wait, and streams, have a part of the connections; the others are for scrapes. */
#define MOST_WAITING        64U
#define MOST_STREAMS        64U
#define CONNECTIONS_FOR_ONE 4

/* A deferred answer may take so many times as long as a client may take to read one. */
#define DEFERRED_PATIENCE 2

/* A stream is kept alive so many times in the time that a client may take to read an answer. */
#define KEEP_ALIVES_PER_RESPONSE 2

/* Of what answers of one client alone may take, streams may have so much beside them. */
#define STREAM_SHARE 4

static unsigned share_of(const struct connection_table *connections, unsigned most)
{
    const unsigned share = connections->limits.connections / CONNECTIONS_FOR_ONE + 1;

    return share < most ? share : most;
}

int site_init(struct site *site, const struct route_table *table,
              struct connection_table *connections)
{
    const uint64_t response_ns = connections->limits.response_seconds * NS_PER_SECOND;
    const unsigned n_waiting = share_of(connections, MOST_WAITING);
    const unsigned n_streams = share_of(connections, MOST_STREAMS);
    int r;

    *site = (struct site){
        .connections = connections,
        .context = table->context,
        .streams = {.most = n_streams,
                    .share = connection_table_share(connections, n_streams),
                    .most_bytes = connection_table_answer_bytes(connections) / STREAM_SHARE,
                    .keep_alive_ns = response_ns / KEEP_ALIVES_PER_RESPONSE,
                    .context = table->context},
    };
    r = gate_init(&site->gate);
    if (r < 0)
        return r;
    r = routing_init(&site->routing, table, connections, &site->compression);
    if (r < 0)
        return r;
    r = deferred_desk_init(&site->desk, n_waiting, connection_table_share(connections, n_waiting),
                           DEFERRED_PATIENCE * response_ns);
    if (r < 0)
        return r;
    return answers_init(&site->answers);
}

bool site_tick(struct site *site, uint64_t now_ns)
{
    const bool commanded = control_routes_expire(&site->control, now_ns);
    const bool asked = deferred_desk_expire(&site->desk, now_ns);
    const bool streamed = stream_table_tick(&site->streams, now_ns);

    return commanded || asked || streamed;
}

void site_close(struct site *site)
{
    gate_resume_all(&site->gate);
    control_routes_done(&site->control);
    deferred_desk_close(&site->desk);
    stream_table_close(&site->streams);
}

void site_done(struct site *site)
{
    deferred_desk_done(&site->desk);
    routing_done(&site->routing);
    answers_done(&site->answers);
    compression_done(&site->compression);
    gate_done(&site->gate);
}
