/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which events are left out where, although the machine knows them. */

#include "resolve/resolution.h"

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
