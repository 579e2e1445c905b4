/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a source of events is to the resolver: somebody who knows what some names mean. A source is
 * one file and one line in the table of resolver.c; src/README.md has the steps.
 */

#include <stdbool.h>

#include "event/listing.h"
#include "event/probe.h"
#include "reader/object_reader.h"
#include "sys/pmu.h"

/*
 * What a source may look at. All of it is borrowed for the call. Descriptors, not paths, so that a
 * test can show a tree of its own. A negative errno where the file system cannot be reached: the
 * source then says SOURCE_UNKNOWN of names that it would have to look up there.
 */
struct source_context {
    bool encodes_absent;             /* SOURCE_FOREIGN is wanted where it can be had */
    int sysfs_fd;                    /* the root of sysfs */
    int tracefs_fd;                  /* the root of tracefs, an O_PATH descriptor */
    const struct pmu_list *pmus;     /* the PMUs that the kernel has registered; NULL: not known */
    const struct probe_spec *probes; /* those that the configuration defines */
    size_t n_probes;
    struct object_reader *reader; /* of the programs that they are on; NULL: none can be read */
};

/* What a source makes of a name. A negative value: -ENOMEM. */
enum source_outcome {
    SOURCE_KNOWS,     /* it has filled the event */
    SOURCE_FOREIGN,   /* as SOURCE_ABSENT; it has filled the code that the event has elsewhere */
    SOURCE_ABSENT,    /* it knows the name, but of a PMU that is not here; it has described it */
    SOURCE_MISSING,   /* it knows the name, and what it stands for is not there; source_explain() */
    SOURCE_FORBIDDEN, /* it may not look the name up; event->why says why */
    SOURCE_REFUSED,   /* the name is one of its own by its form, and wrong; event->why says why */
    SOURCE_UNKNOWN,   /* the name is not one of its own; the event is untouched */
};

struct event_source {
    /*
     * Says what a name is, which comes without modifiers. Where the source knows it, it fills
     * the kind, code.type and code.config*, the description by source_describe(), and the unit by
     * source_set_unit() if it has one. What follows from that (the PMU, the metric's name, whether
     * a hardware counter is taken) is the resolver's work, the same for all sources.
     */
    int (*resolve)(const struct source_context *context, const char *name, struct event *event);

    /*
     * Shows every event that it knows of this machine, by source_show(). 0, or what the visitor
     * returned, at once. NULL: it has no list.
     */
    int (*list)(const struct source_context *context, const struct event_visitor *visitor);

    /*
     * Of a name that stands for several events, as "kmem:*" does: shows each of these events by
     * source_show(), by names that resolve() knows; only the name is looked at. A name that stands
     * for itself shows nothing. Only names that hold one of EVENT_WILDCARDS come here. 0, or what
     * the visitor returned, at once. NULL: each name of this source is one event.
     */
    int (*expand)(const struct source_context *context, const char *name,
                  const struct event_visitor *visitor);

    /*
     * No name of this source holds a colon, so that what follows one was meant as a modifier. Such
     * a source needs no context to tell its names: resolve() is then called with NULL, too.
     */
    bool has_plain_names;
};

/* The first line of the description, for HELP; the text is copied. 0 or -ENOMEM. */
int source_describe(struct event *event, const char *description);

/*
 * Why what a name stands for cannot be counted, for people; the text is copied. SOURCE_MISSING or
 * -ENOMEM.
 */
int source_explain(struct event *event, const char *why);

/*
 * What is counted: a unit in lower case and plural, as names of metrics have it ("joules"), and how
 * many of it a raw count of 1 is. 0 or -ENOMEM.
 */
int source_set_unit(struct event *event, const char *unit, double scale);

/*
 * Says what is wrong with a name that has the form of this source's names; other sources are not
 * asked any more. A sentence without a full stop. SOURCE_REFUSED or -ENOMEM.
 */
int source_refuse(struct event *event, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Shows an event to the visitor, and returns what that returned. */
static inline int source_show(const struct event_visitor *visitor,
                              const struct event_listing *listing)
{
    return visitor->visit(visitor->object, listing);
}

/* Finds a field of a tracepoint (event_resolver_find_field()). 0; -ENOENT: it has none; -ENOMEM. */
struct event_field;
int tracepoint_look_up_field(const struct source_context *context, const char *tracepoint,
                             const char *name, struct event_field *ret_field);

extern const struct event_source event_source_generic;    /* the names of `perf list` */
extern const struct event_source event_source_raw;        /* rNNN */
extern const struct event_source event_source_sysfs;      /* PMU/EVENT/ */
extern const struct event_source event_source_tracepoint; /* SUBSYSTEM:NAME, by tracefs */
/* The same names where tracefs cannot be read; to be asked last. */
extern const struct event_source event_source_closed_tracepoint;
extern const struct event_source event_source_probe; /* probe:NAME, as configured */
extern const struct event_source event_source_pfm;   /* libpfm4 */
