/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Clients that follow server-sent events (route->next). All of this belongs to the server's thread.
 */

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "web/connections.h"
#include "web/query.h"
#include "web/route.h"

#define STREAM_CONTENT_TYPE "text/event-stream"

struct stream;

struct stream_table {
    struct stream *first; /* the list of all */
    unsigned n;           /* The list has so many. */
    unsigned most;        /* It may have so many. */
    unsigned share;       /* Clients of one network may have so many of them. */
    uint64_t news;        /* stream_table_news() was called so many times. */
    size_t most_bytes;    /* What all have not taken yet may have so many bytes. */
    size_t bytes;         /* What was written and is not sent yet takes so many bytes. */
    /*
     * After so long without events a comment is sent: a proxy or a browser may take a connection
     * for dead on which nothing comes.
     */
    uint64_t keep_alive_ns;
    void *context; /* The functions of the routes get it. */
};

/*
 * Begins a stream: queues a response that has no end. The request's texts are copied, and the query
 * is taken over. Returns 0 with *ret_result as libmicrohttpd wants it; -EBUSY: there are too many,
 * or too many of this client's network (the control socket has a place always); what the route's
 * next() returns, with its words in ret_refusal; -ENOMEM.
 */
int stream_begin(struct stream_table *table, const struct route *route,
                 struct connection *connection, struct MHD_Connection *mhd, struct query *query,
                 enum MHD_Result *ret_result, struct text *ret_refusal);

/* There may be something new. Returns true if a connection was resumed: its daemon has to turn. */
bool stream_table_news(struct stream_table *table);

/*
 * Finds clients that have gone, and sends something to those that have heard nothing for long.
 * Returns what stream_table_news() does.
 */
bool stream_table_tick(struct stream_table *table, uint64_t now_ns);

/* Ends all streams; to be called before the daemons are stopped. */
void stream_table_close(struct stream_table *table);
