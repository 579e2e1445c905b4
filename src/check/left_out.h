/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which events are left out where, although the machine knows them. */

#include "resolve/resolution.h"

/* A group of a class of targets in which events are left out for a reason. */
struct check_left_out {
    enum scope_kind kind;
    size_t rule; /* the number of the class among those of its kind, from 1 */
    const struct event_group *group;
    enum absence reason;
};

/*
 * Whether the event is left out for this reason. Two kinds of events never are: clocks of the
 * system scope, which are left out by design, and events that this machine does not know at all.
 */
bool check_is_left_out(enum scope_kind kind, const struct group_member *member,
                       enum absence reason);

/* Visits each group of each class in which check_is_left_out() is true of an event. */
void check_each_left_out(const struct resolution *resolution, enum absence reason,
                         void (*visit)(void *object, const struct check_left_out *left_out),
                         void *object);

/*
 * Prints a line for each group of each class of targets in which events are absent for this reason,
 * as "  left out: cgroup rule 2, group core: cycles". Two kinds of events are not printed: clocks
 * of the system scope, which are left out by design, and events that this machine does not know at
 * all. heading: a line that is printed before the first one; NULL: there is none.
 */
void check_print_left_out(const struct resolution *resolution, enum absence reason,
                          const char *heading);

/* Prints what the kernel refuses, by its reasons, with what can be done about each. */
void check_print_refused(const struct resolution *resolution);
