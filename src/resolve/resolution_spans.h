/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From the spans of the configuration to events and fields of this machine. */

#include "count/span.h"
#include "resolve/resolution.h"

/* A span of the configuration. */
struct resolved_span {
    struct span span;                 /* complete where `why` is NULL */
    struct event *events[SPAN_SIDES]; /* what it borrows */
    char *why;                        /* why it cannot be followed, for people; NULL: it can */
};

/* Resolves them; what cannot be followed has its reason. 0 or -ENOMEM. */
int resolution_resolve_spans(struct resolution *resolution, struct event_resolver *resolver);

/*
 * The first event of a span that is a tracepoint and could not be looked up, as where tracefs was
 * not mounted; NULL: there is none.
 */
const struct event *resolution_span_not_looked_up(const struct resolution *resolution);

/* Frees what resolution_resolve_spans() has made. */
void resolution_free_spans(struct resolution *resolution);
