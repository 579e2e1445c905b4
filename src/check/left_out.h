/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which events are left out where, although the machine knows them. */

#include "resolve/resolution.h"

/*
 * Prints a line for each group of each class of targets in which events are absent for this reason,
 * as "  left out: cgroup rule 2, group core: cycles". Left out by design are clocks of the system
 * scope, which is no news, and absent everywhere are events that this machine does not know: both
 * are not printed. heading: printed before the first line; NULL: none.
 */
void check_print_left_out(const struct resolution *resolution, enum absence reason,
                          const char *heading);

/* Prints what the kernel refuses, by its reasons, with what can be done about each. */
void check_print_refused(const struct resolution *resolution);
