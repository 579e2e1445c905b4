/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "app/config.h"
#include "target/cgroup_rules.h"

/* Makes the rules of targets.cgroups; the index of a rule is the same in both. 0 or -ENOMEM. */
int config_cgroups_make(const struct config *config, struct cgroup_rules **ret_rules);
