/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Makes room in the trie, and in the table of functions. */

#include "profile/store_parts.h"

/* Drops nodes to which no sample refers any more, and finds out whose the others are. 0, -ENOMEM.
 */
int store_collect_garbage(struct profile_store *store);

/*
 * Makes room for nodes: drops what is garbage, and if a quarter is not free then, or a tenant has
 * more than its share, folds what is rare and old. Numbers of nodes change.
 */
void store_reclaim_nodes(struct profile_store *store);

/* The same for functions, whose numbers change, if there is little room left. */
void store_reclaim_functions(struct profile_store *store);
