/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From names to events. Sources of events are asked in order: the generic names of `perf list`, raw
 * rNNN, events of PMUs in sysfs, probes, tracepoints, libpfm4. The first source that knows the
 * name decides
 * (src/event/source.h).
 */

#include "event/event.h"
#include "event/probe.h"
#include "event/probe_reader.h"

struct event_resolver;

/*
 * sysfs_fd: the root of sysfs (`--path.sysfs`), borrowed for the resolver's life. It tells which
 * PMUs exist; tracefs is looked for below it. Returns 0 or -ENOMEM. It is no failure if libpfm4
 * cannot start: its names are then unknown.
 */
int event_resolver_new(int sysfs_fd, struct event_resolver **ret_resolver);
struct event_resolver *event_resolver_free(struct event_resolver *resolver);
DEFINE_AUTO(event_resolver, struct event_resolver *, event_resolver_free)

/*
 * Which probes there are: "probe:NAME" is then known, and the place of the probe is looked up at
 * each event_resolve(). They are borrowed until they are set to others, or to NULL.
 */
void event_resolver_set_probes(struct event_resolver *resolver, const struct probe_spec *probes,
                               size_t n_probes);

/*
 * Who looks into the programs that probes are on (event/probe_reader.h); borrowed for the
 * resolver's life. Without a reader no place in a program is found.
 */
void event_resolver_set_reader(struct event_resolver *resolver, struct object_reader *reader);

/*
 * From here on an event of libpfm4 whose PMU this machine does not have gets the code that it has
 * on its own machine. It is absent as before, but its encoding is not empty: for people who ask
 * what a name means, and for checks of another machine's configuration. libpfm4 is changed by it
 * for the life of the program, for other resolvers too; so it is nothing for one that counts.
 */
void event_resolver_encode_absent(struct event_resolver *resolver);

/*
 * Makes an event of a name, whatever the name is: an event that cannot be counted has the reason in
 * `absence` (unknown_event, no_pmu, or not_supported with `why`). Returns 0, or -ENOMEM. The caller
 * owns the event.
 */
int event_resolve(struct event_resolver *resolver, const char *name, struct event **ret_event);

/* Where a field stands in the records of a tracepoint: a number of 1, 2, 4 or 8 bytes. */
struct event_field {
    uint32_t offset, size; /* in bytes */
};

/*
 * Finds a field of an event. 0; -EINVAL: it has none of this name that is a number, and *ret_why
 * says so, which the caller frees; -ENOMEM. Fields that every tracepoint has (common_pid) are none
 * here: a BPF program gets something else in their place.
 */
int event_resolver_find_field(const struct event_resolver *resolver, const struct event *event,
                              const char *name, struct event_field *ret_field, char **ret_why);

/* What stands behind a name in the place of modifiers and is none. */
struct event_bad_modifier {
    const char *text; /* "x" of "cycles:x", borrowed from the name; NULL: all is well */

    /*
     * Why we do not take a modifier that perf knows: a sentence without its subject and its full
     * stop. NULL: perf does not know it either. Static.
     */
    const char *reason;
    char letter; /* the modifier that the reason is about */
};

/*
 * Of a name that would be known but for what stands behind its colon, or behind the last slash of
 * "PMU/EVENT/": what stands there. This can be told without a machine. 0 or -ENOMEM.
 */
int event_resolver_bad_modifier(const char *name, struct event_bad_modifier *ret_modifier);

/* How modifiers are written, for people. Static. */
extern const char event_modifiers_expected[];

/*
 * The known name that is nearest to an unknown one, among the generic names and what libpfm4 knows
 * of this machine's PMUs. The caller frees it. NULL: none is near.
 */
char *event_resolver_suggest(struct event_resolver *resolver, const char *name);
