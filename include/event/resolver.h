/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From names to events. The sources are asked in order: the generic names of
 * `perf list`, raw rNNN, libpfm4 (tracepoints and sysfs PMUs have their place
 * in the same table). The first that knows the name wins.
 */

#include "event/event.h"

struct event_resolver;

/*
 * sysfs_fd: the root of sysfs (`--path.sysfs`), borrowed for the resolver's
 * life; it tells which PMUs exist. Returns 0 or -ENOMEM. libpfm4 that cannot
 * start is no failure: its names are then unknown.
 */
int event_resolver_new(int sysfs_fd, struct event_resolver **ret_resolver);
struct event_resolver *event_resolver_free(struct event_resolver *resolver);
DEFINE_AUTO(event_resolver, struct event_resolver *, event_resolver_free)

/*
 * Always makes an event: one that cannot be counted carries the reason in
 * `absence` (unknown_event or no_pmu). Returns 0, or -ENOMEM. The caller owns
 * the event.
 */
int event_resolve(struct event_resolver *resolver, const char *name, struct event **ret_event);

/*
 * Where a name that is unknown is that of an event with something behind a colon which
 * is no modifier (":x" in "cycles:x"): that, without the colon, borrowed from the name.
 * *ret_modifier is NULL where it is otherwise. 0 or -ENOMEM.
 */
int event_resolver_bad_modifier(const char *name, const char **ret_modifier);

/* How modifiers are written, for people. Static. */
extern const char event_modifiers_expected[];

/*
 * The valid name nearest to one that is unknown, or NULL. Looks among generic
 * names and what libpfm4 knows of this machine's PMUs. The caller frees it.
 */
char *event_resolver_suggest(struct event_resolver *resolver, const char *name);
