/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the HTTP server tells of itself: who is connected now, and since the start who was let in,
 * who was closed and who was refused, with the reasons. Both numbers of the web configuration are
 * NUMBER_ABSENT_COUNT where there is none.
 */

#include <stdint.h>

/* Why we have closed a connection. A connection that its client closes is not counted. */
enum http_closing {
    HTTP_CLOSED_IDLE, /* no request came in time */
    HTTP_CLOSED_SLOW, /* the client did not send a request, or take an answer, in time */
    HTTP_CLOSED_ROOM, /* it gave its place to a new connection */
    HTTP_CLOSINGS_,
};

/* Why a new connection was refused. */
enum http_refusal {
    HTTP_REFUSED_BUSY,           /* all connections that there are were being answered */
    HTTP_REFUSED_NO_DESCRIPTORS, /* each attempt counts: the client waits and is tried again */
    HTTP_REFUSED_NO_MEMORY,
    HTTP_REFUSALS_,
};

struct http_status {
    uint64_t connections; /* open now */
    uint64_t accepted;
    uint64_t closed[HTTP_CLOSINGS_];
    uint64_t refused[HTTP_REFUSALS_];
    uint64_t password_hashes; /* of users who were to be known by their password */
    uint64_t unauthorized;    /* requests that got 401 */
    uint64_t rate_limited;    /* requests that got 429 by the limit of the web configuration */
    uint64_t web_config_good; /* 1: the web configuration that was read last is good, else 0 */
    uint64_t web_config_realtime_ns; /* the one in force was read then */
};
