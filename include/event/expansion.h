/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names that stand for several events: "kmem:*" is every tracepoint of the subsystem kmem. */

#include <stddef.h>

#include "event/listing.h"

/* A name that holds none of these characters stands for itself. */
#define EVENT_WILDCARDS "*?["

/*
 * The most events that one name stands for. What a machine has beyond it is left out, and said to
 * be over the limit.
 */
#define EVENT_EXPANSION_MAX 1024

/*
 * The most events that one name of a configuration stands for: all system calls of a machine are
 * some 350. Each takes a descriptor and 1.6 kB of the kernel's memory on each CPU.
 */
#define EVENT_WILDCARD_MAX 512

struct event_expansion {
    char **names; /* names of single events, with the modifiers of the name that was expanded */
    size_t n_names;
    size_t n_beyond; /* how many more events the machine has that the limit leaves out */
};

/*
 * Which events of this machine a name stands for. They are in the order of strverscmp(3), so that
 * the same ones are within the limit each time. limit: at most EVENT_EXPANSION_MAX. A name that
 * stands for itself, and one that no event of this machine has, have no names in the expansion. 0
 * or -ENOMEM. The caller ends the expansion by event_expansion_done().
 */
int event_expand(struct event_resolver *resolver, const char *name, size_t limit,
                 struct event_expansion *ret_expansion);

/* Also of an expansion that is all zeros. */
void event_expansion_done(struct event_expansion *expansion);

/*
 * Shows each event that a name without modifiers stands for, in the order in which its source finds
 * them and without a limit. 0, or what the visitor returned.
 */
int event_resolver_expand(struct event_resolver *resolver, const char *base,
                          const struct event_visitor *visitor);
