/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The list of events that have names on this machine, as `perf list` shows it. */

#include "event/event.h"

struct event_resolver;

/* An event as it is listed. The texts are borrowed for the visit. */
struct event_listing {
    enum event_kind kind;
    const char *name;        /* as a configuration names it, without modifiers */
    const char *alias;       /* another spelling of the same event; NULL: there is none */
    const char *description; /* may hold several lines; empty: nobody describes it */
    const char *pmu;         /* whose event it is: "cpu", "icl", "sched"; empty: not known */
};

struct event_visitor {
    /* Shows one event. 0: go on; anything else ends the listing, and is returned by it. */
    int (*visit)(void *object, const struct event_listing *listing);
    void *object;
};

/*
 * Shows every event that some source of events lists: no raw codes, and nothing that can only be
 * spelled out. Whether the machine can count them is not asked. Names come once for each source
 * that has them; the first is the one that resolves. 0, or what the visitor returned.
 */
int event_resolver_list(struct event_resolver *resolver, const struct event_visitor *visitor);
