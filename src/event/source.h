/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a source of event names is to the resolver. */

#include <stdbool.h>

#include "event/event.h"
#include "event/nearest.h"

/* What a source makes of a name. Negative: -ENOMEM. */
enum source_outcome {
    SOURCE_KNOWS,   /* type, config and description of the event are filled */
    SOURCE_ABSENT,  /* it knows the name, of a PMU that is not here; description is filled */
    SOURCE_UNKNOWN, /* not one of its names */
};

struct event_source {
    /*
     * name: without modifiers. Fills code.type, code.config*, and description, a
     * string that the event then owns.
     */
    int (*resolve)(const char *name, struct event *event);

    /* Offers every name it knows of this machine. NULL: it has no list. */
    void (*offer_names)(struct nearest *nearest);

    /* None of its names holds a colon: what stands behind one is meant as a modifier. */
    bool has_plain_names;
};

extern const struct event_source event_source_generic; /* the names of `perf list` */
extern const struct event_source event_source_raw;     /* rNNN */
extern const struct event_source event_source_pfm;     /* libpfm4 */
