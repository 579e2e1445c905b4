/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which cgroups are counted: `targets.cgroups` of the configuration. A path
 * belongs to the first rule one of whose include patterns matches while none of
 * its exclude patterns does.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct cgroup_rules;

struct cgroup_rules *cgroup_rules_free(struct cgroup_rules *rules);
DEFINE_AUTO(cgroup_rules, struct cgroup_rules *, cgroup_rules_free)

int cgroup_rules_new(struct cgroup_rules **ret_rules);

/* Adds the next rule; copies the patterns. 0, -EINVAL for a pattern glob_check() refuses, -ENOMEM.
 */
int cgroup_rules_add(struct cgroup_rules *rules, const char *const *include, size_t n_include,
                     const char *const *exclude, size_t n_exclude);

/* The index of the rule that the cgroup at this path (raw bytes, "/a/b") belongs to; -1: none. */
int cgroup_rules_match(const struct cgroup_rules *rules, const char *path);

/* Whether any cgroup below this path might belong to a rule: where not, it need not be walked. */
bool cgroup_rules_may_match_below(const struct cgroup_rules *rules, const char *path);
