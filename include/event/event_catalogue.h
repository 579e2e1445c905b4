/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The events that have names here, searched and put in order. */

#include <stdbool.h>
#include <stddef.h>

#include "event/listing.h"

struct event_catalogue_entry {
    enum event_kind kind;
    char *name;
    char *alias;       /* another spelling; NULL: there is none */
    char *description; /* may hold several lines; may be empty */
    char *pmu;         /* may be empty: it is not known */
    size_t order; /* its place in the resolver's list, where the first of a name is what counts */
};

struct event_catalogue {
    struct event_catalogue_entry *entries;
    size_t n, capacity;
};

/* Which events are wanted. All zero: all of them. */
struct event_catalogue_filter {
    /*
     * An event is wanted if one of these fits it. A pattern with a wildcard (*, ?, [) fits a name,
     * an alias or a description as a whole; any other a part of one of them. Upper and lower case
     * are the same. None: every event fits.
     */
    const char *const *patterns;
    size_t n_patterns;
    const char *pmu;               /* a pattern over the whole name of the PMU; NULL: any */
    bool kinds[EVENT_KIND_COUNT_]; /* only these kinds; none is set: all of them */
};

/* Whether events of this kind are wanted, if the rest fits. */
bool event_catalogue_has_kind(const struct event_catalogue_filter *filter, enum event_kind kind);

bool event_catalogue_is_wanted(const struct event_catalogue_filter *filter,
                               const struct event_listing *listing);

/*
 * Reads what is wanted of the list of a resolver. Events come by kind, then by PMU, then by name,
 * and each name once: two sources that have it mean what the resolver makes of it. 0 or -ENOMEM.
 */
int event_catalogue_read(struct event_resolver *resolver,
                         const struct event_catalogue_filter *filter,
                         struct event_catalogue *ret_catalogue);
void event_catalogue_done(struct event_catalogue *catalogue);
#define AUTO_EVENT_CATALOGUE __attribute__((cleanup(event_catalogue_done)))
