/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the rules of a configuration match on this machine now: how many cgroups and processes each
 * rule takes and the names of the first few, and a warning for a rule that takes nothing but would
 * with a small change, or takes nothing since others come first.
 */

#include "check/output.h"
#include "config/config.h"
#include "sys/cgroup_root.h"

/*
 * Tells it all. root: its fd is -1 where there are no cgroups; procfs_fd: -1 where there is no
 * /proc.
 */
void check_print_matches(struct check_output *output, const struct config *config,
                         const struct cgroup_root *root, int procfs_fd);
