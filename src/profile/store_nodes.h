/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Nodes of the trie, as tenants take them within their shares. */

#include "profile/store_parts.h"

/*
 * The node of a stack, for which room is made if there is none: then numbers of nodes change. A
 * sample that finds no room is folded.
 */
uint32_t store_node_of(struct profile_store *store, struct store_tenant *tenant,
                       const uint32_t *functions, size_t n);

/* Finds a child, or adds it where there is room. No number changes. TRIE_NONE: there is no room. */
uint32_t store_node_child(struct profile_store *store, struct store_tenant *tenant, uint32_t parent,
                          uint32_t function);

/*
 * "(folded)" below the node, or below one above it, for so many samples. It is the last resort, and
 * is counted.
 */
uint32_t store_node_folded(struct profile_store *store, uint32_t node, uint64_t samples);
