/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "check/output.h"
#include "config/config.h"
#include "sys/cgroup_root.h"

/* Prints what the rules of targets.cgroups match now (check/matches.h). 0, or -errno: the cgroups
 * cannot be looked at. */
int check_print_cgroup_matches(struct check_output *output, const struct config *config,
                               const struct cgroup_root *root);
