/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/counter_cells.h"

/*
 * What every mechanism calls after it has tried to open a set. A group that could not be opened
 * somewhere (`absences` says so) is closed in all its places, unless it was counting before. If
 * something is missing then, the time of the next attempt is set.
 */
void counter_set_settle(struct counter_set *set, uint64_t now_ns);
