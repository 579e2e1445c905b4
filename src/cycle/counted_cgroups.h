/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The cgroups that a collector counts: by which rules, in which set. */

#include "target/cgroup_targets.h"

struct collector;

struct counted_cgroups {
    struct cgroup_rules *rules; /* NULL: the configuration has none, or the machine no cgroups */
    struct cgroup_targets *targets; /* NULL where there are no rules */
    bool is_watched; /* the owner calls collector_tree_changed(): else each cycle has to look */
    bool may_have_changed; /* the tree may have changed since the last update */
};

/* Makes the rules, from the configuration. 0 or -errno. */
int collector_make_cgroup_rules(struct collector *collector);

/*
 * Makes the set of cgroups, with as many as the configuration allows and the descriptors suffice
 * for; after the rules, and after it is known what each cgroup opens. 0 or -errno.
 */
int collector_make_cgroups(struct collector *collector);

void counted_cgroups_done(struct counted_cgroups *cgroups);
