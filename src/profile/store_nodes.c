/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_nodes.h"

#include "base/share.h"
#include "profile/store_reclaim.h"

static bool has_room_for_node(const struct profile_store *store, const struct store_tenant *tenant)
{
    return store->trie.n < store->limits.nodes && tenant->nodes < share_of_one(store->limits.nodes);
}

uint32_t store_node_folded(struct profile_store *store, uint32_t node, uint64_t samples)
{
    store->folded_samples += samples;
    for (; node != TRIE_NONE; node = store->trie.nodes[node].parent) {
        const uint32_t folded = trie_find(&store->trie, node, STORE_FOLDED_FUNCTION);

        if (folded != TRIE_NONE)
            return folded;
    }
    return STORE_FOLDED_NODE;
}

/* Goes down the trie as far as there are nodes. Returns how many functions it has gone. */
static size_t go_down(const struct trie *trie, const uint32_t *functions, size_t n,
                      uint32_t *ret_node)
{
    uint32_t node = 0;
    size_t i = 0;

    for (; i < n; i++) {
        const uint32_t child = trie_find(trie, node, functions[i]);

        if (child == TRIE_NONE)
            break;
        node = child;
    }
    *ret_node = node;
    return i;
}

static uint32_t add_child(struct profile_store *store, struct store_tenant *tenant, uint32_t parent,
                          uint32_t function)
{
    uint32_t child;

    if (!has_room_for_node(store, tenant))
        return TRIE_NONE;
    child = trie_add(&store->trie, parent, function, tenant->number);
    tenant->nodes += child != TRIE_NONE;
    return child;
}

/* Adds the nodes that are missing, as far as there is room. Returns as above. */
static size_t add_down(struct profile_store *store, struct store_tenant *tenant,
                       const uint32_t *functions, size_t n, size_t i, uint32_t *node)
{
    for (; i < n; i++) {
        const uint32_t child = add_child(store, tenant, *node, functions[i]);

        if (child == TRIE_NONE)
            break;
        *node = child;
    }
    return i;
}

uint32_t store_node_child(struct profile_store *store, struct store_tenant *tenant, uint32_t parent,
                          uint32_t function)
{
    const uint32_t child = trie_find(&store->trie, parent, function);

    return child != TRIE_NONE ? child : add_child(store, tenant, parent, function);
}

uint32_t store_node_of(struct profile_store *store, struct store_tenant *tenant,
                       const uint32_t *functions, size_t n)
{
    uint32_t node;
    size_t depth = go_down(&store->trie, functions, n, &node);

    depth = add_down(store, tenant, functions, n, depth, &node);
    if (depth < n && !has_room_for_node(store, tenant) && store->adds_to_wait == 0) {
        store_reclaim_nodes(store);
        depth = go_down(&store->trie, functions, n, &node);
        depth = add_down(store, tenant, functions, n, depth, &node);
    }
    return depth == n ? node : store_node_folded(store, node, 1);
}
