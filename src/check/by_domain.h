/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `by: cpu` and `by: node` of rules come to. */

#include "check/output.h"
#include "resolve/resolution.h"

/*
 * Prints for each such rule how many series a target has more for it, and notes where nothing is
 * shown: the groups of the rule count neither a clock nor context-switches, or it is of processes,
 * which are counted in threads. What can be counted is decided by now.
 */
void check_print_by_domain(struct check_output *output, const struct resolution *resolution);
