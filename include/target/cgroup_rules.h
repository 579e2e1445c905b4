/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rules that say which cgroups are counted: `targets.cgroups` of the configuration. A rule
 * takes a path if one of its include patterns matches and none of its exclude patterns does. A
 * path belongs to the first rule that takes it.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct cgroup_rules;

struct cgroup_rules *cgroup_rules_free(struct cgroup_rules *rules);
DEFINE_AUTO(cgroup_rules, struct cgroup_rules *, cgroup_rules_free)

int cgroup_rules_new(struct cgroup_rules **ret_rules);

/*
 * Adds a rule behind the others, with copies of the patterns. 0; -EINVAL if glob_check() refuses a
 * pattern; -ENOMEM.
 */
int cgroup_rules_add(struct cgroup_rules *rules, const char *const *include, size_t n_include,
                     const char *const *exclude, size_t n_exclude);

/* The index of the rule that the cgroup at this path (raw bytes, "/a/b") belongs to, or -1. */
int cgroup_rules_match(const struct cgroup_rules *rules, const char *path);

/*
 * Whether some cgroup below this path might belong to a rule. If not, nothing below needs to be
 * walked, which spares most of a tree.
 */
bool cgroup_rules_may_match_below(const struct cgroup_rules *rules, const char *path);
