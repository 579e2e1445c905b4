/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From the groups of the configuration to those of a class of targets. The kernel and all that we
 * do with a group are made for EVENT_GROUP_MAX events. A group whose wildcards stand for more is
 * laid out in parts of so many, which are groups of their own: "calls", "calls/2", "calls/3". No
 * group of a configuration has such a name. What the group names by itself is in the first part, so
 * that ratios, which cannot name a wildcard, compare what was counted together.
 */

#include "resolve/resolution.h"

/*
 * Makes the groups of these names, without those that have no event in this class. The names of the
 * groups are borrowed from the configuration and the resolution. 0 or -ENOMEM.
 */
int resolution_make_groups(struct resolution *resolution, const struct target_class *class,
                           const struct config_words *names, struct event_groups **ret_groups);

/* Frees the names of parts. */
void resolution_free_part_names(struct resolution *resolution);

/* How many parts a group of the configuration may have at most, whatever the machine has. */
size_t config_group_most_parts(const struct config_group *group);
