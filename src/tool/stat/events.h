/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The events that are to be counted, and which of them this machine can count for the target. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "count/event_group.h"
#include "event/resolver.h"
#include "tool/stat/options.h"
#include "tool/stat/report.h"

struct stat_events {
    struct event **events; /* of all groups, in the order in which they are shown */
    size_t n;
    struct event_groups *groups; /* what can be counted of them; made by stat_events_probe() */

    char **group_names;  /* a name for each group: of -g, or its first event's */
    size_t *group_sizes; /* how many of the events belong to each group */
    size_t n_groups;
    struct stat_ratio *ratios; /* those of the configuration, with -g */
    size_t n_ratios;
    size_t n_left_out;  /* events that a wildcard stands for beyond its limit */
    bool is_restricted; /* some event is counted in user mode only, for want of rights */
};

/*
 * Finds what the command line names: the events of -e, the groups of -g in the configuration, or
 * else the default events. Returns 0; -EINVAL with a message for the user in *ret_message: some
 * name is unknown, or the configuration cannot be read; -ENOMEM. To be ended by stat_events_done()
 * in any case.
 */
int stat_events_find(struct event_resolver *resolver, const struct stat_options *options,
                     struct stat_events *ret_events, struct text *ret_message);

/*
 * Asks the kernel which events can be counted in the scope. Events for which the rights are missing
 * are tried again in user mode alone (":u"), as perf does. 0 or -errno.
 */
int stat_events_probe(struct stat_events *events, struct event_resolver *resolver,
                      const struct scope *scope);

/* Makes the groups of the events, with the absences that need no question. 0 or -ENOMEM. */
int stat_events_make_groups(const struct stat_events *events, enum scope_kind kind,
                            struct event_groups **ret_groups);

void stat_events_done(struct stat_events *events);
