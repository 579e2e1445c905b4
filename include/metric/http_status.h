/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the HTTP server fares: who is connected, who was sent away and why. Since the start. */

#include <stdint.h>

/* Why we have closed a connection; those that clients close are not counted. */
enum http_closing {
    HTTP_CLOSED_IDLE, /* no request came in time */
    HTTP_CLOSED_SLOW, /* a request was not sent, or an answer not taken, in time */
    HTTP_CLOSED_ROOM, /* it made room for a newcomer */
    HTTP_CLOSINGS_,
};

/* Why a client found no place. */
enum http_refusal {
    HTTP_REFUSED_BUSY,           /* all others are being answered */
    HTTP_REFUSED_NO_DESCRIPTORS, /* attempts to accept; the client waits, and is tried again */
    HTTP_REFUSED_NO_MEMORY,
    HTTP_REFUSALS_,
};

struct http_status {
    uint64_t connections; /* open now */
    uint64_t accepted;
    uint64_t closed[HTTP_CLOSINGS_];
    uint64_t refused[HTTP_REFUSALS_];
};
