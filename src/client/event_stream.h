/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), as far as a
 * program needs them: lines end in "\n" or "\r\n", and "retry" means nothing.
 */

#include <stddef.h>

#include "client/exchange.h"

struct event_stream {
    size_t used;     /* bytes of the buffer that belong to the event that was given last */
    size_t searched; /* bytes behind them in which there is no end of an event */
};

/* All of it is in the buffer, and each text ends in '\0'. */
struct stream_event {
    const char *name, *id, *data;
    size_t data_length;
};

/*
 * Takes the next event with data out of the bytes that came. Returns 1, or 0 if there is no whole
 * one. The event is valid until something is added to the buffer or this is called again.
 */
int event_stream_next(struct event_stream *stream, struct buffer *buffer,
                      struct stream_event *ret_event);
