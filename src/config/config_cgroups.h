/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "config/config.h"
#include "target/cgroup_rules.h"

/*
 * The first pattern by which a rule takes the root of all cgroups; NULL: no rule takes it. Where
 * that root is the machine, it is not counted all the same (sys/cgroup_root.h).
 */
const struct config_word *config_cgroups_find_root(const struct config *config);

/* Makes the rules of targets.cgroups; the index of a rule is the same in both. 0 or -ENOMEM. */
int config_cgroups_make(const struct config *config, struct cgroup_rules **ret_rules);
