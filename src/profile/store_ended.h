/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "profile/store_parts.h"

/*
 * Makes room for targets, if there is little: those without samples go, then those that ended long
 * ago. What a cgroup had belongs to the one above it then, so that sums stay; groups of processes
 * lose it. Numbers of targets change.
 */
void store_reclaim_targets(struct profile_store *store);
