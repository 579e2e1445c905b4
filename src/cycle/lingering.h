/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The entries that have nothing to count: what has ended and lingers, and what rests. They are
 * found by the path of their cgroup or, for groups of processes, by a key of their name, and keep
 * the order in which they came.
 */

#include "cycle/ledger.h"

/* The entry of this path or key; NULL: there is none. */
struct entry *lingering_find(const struct ledger *ledger, const char *key);

/*
 * Enters an entry under its path, and counts its account among those that may be dropped. Returns
 * false if it has no path or there is no memory: the caller removes it then.
 */
bool lingering_enter(struct ledger *ledger, struct entry *entry, uint64_t gone_ns);

/* Takes an entry out again: it counts, or is about to be freed. */
void lingering_leave(struct ledger *ledger, struct entry *entry);

/* The entry that goes first where room is wanted; NULL: there is none. */
struct entry *lingering_least_wanted(const struct ledger *ledger);
