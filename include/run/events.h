/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The events that are to be counted, and which of them this machine can count for the target. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "count/event_group.h"
#include "event/resolver.h"
#include "run/event_names.h"

struct run_events {
    struct event **events; /* of all groups, in the order in which they are shown */
    size_t n;
    struct event_groups *groups; /* what can be counted of them; made by run_events_probe() */

    char **group_names;  /* a name for each group: its first event's */
    size_t *group_sizes; /* how many of the events belong to each group */
    size_t n_groups;
    size_t n_left_out;  /* events that a wildcard stands for beyond its limit */
    bool is_restricted; /* some event is counted in user mode only, for want of rights */
};

/*
 * Adds the events of these names; a wildcard stands for all that match it. Returns 0; -EINVAL with
 * a message for the user in *ret_message: some name is unknown; -ENOMEM. The events are all zeros
 * at first, and to be ended by run_events_done() in any case.
 */
int run_events_find(struct event_resolver *resolver, const struct event_name_list *names,
                    struct run_events *events, struct text *ret_message);

/*
 * Asks the kernel which events can be counted in the scope. Events for which the rights are missing
 * are tried again in user mode alone (":u"), as perf does. 0 or -errno.
 */
int run_events_probe(struct run_events *events, struct event_resolver *resolver,
                     const struct scope *scope);

/* Makes the groups of the events, with the absences that need no question. 0 or -ENOMEM. */
int run_events_make_groups(const struct run_events *events, enum scope_kind kind,
                           struct event_groups **ret_groups);

void run_events_done(struct run_events *events);
