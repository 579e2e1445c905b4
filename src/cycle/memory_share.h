/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How the limit of memory that our own cgroup has is shared. Who asks over HTTP comes first: a
 * quarter of the limit is a reserve for answers, for a successor of the collector, and for the
 * kernel. What else has a limit in the configuration (the history in memory, profiles, the tree of
 * cgroups) gets at most an eighth each, and targets what is left.
 */

#include <stdbool.h>
#include <stddef.h>

#include "metric/plan.h"
#include "sys/memory_limit.h"

/* The most that a target of this plan takes, with so many descriptors; in the kernel too. */
size_t memory_share_of_target(const struct plan *plan, size_t descriptors);

/* How many targets of so many bytes may be counted where `standing` are now. */
struct memory_targets {
    size_t now; /* from now on until the next look */
    size_t all; /* when all has been given out, as far as is known */
};

/*
 * More than there are while the reserve is whole; as many as there are while most of it is; and
 * fewer below that. SIZE_MAX: there is no limit.
 */
struct memory_targets memory_share_targets(const struct memory_room *room, size_t standing,
                                           size_t bytes_of_one);

/* Whether hardly anything is left of the reserve. */
bool memory_share_is_used_up(const struct memory_room *room);

/* What a part may take that has a limit of its own, if that is more. SIZE_MAX: there is no limit.
 */
size_t memory_share_of_part(const struct memory_room *room);
