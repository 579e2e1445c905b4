/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whoever makes room goes through all samples once, which takes some milliseconds; so it frees a
 * quarter of the limit, and there are many thousand new nodes until it is called again. All memory
 * that it needs is there before it changes anything.
 */
#include "profile/store_reclaim.h"

#include <errno.h>

#include "base/share.h"
#include "profile/fair_share.h"
#include "profile/store_fold.h"
#include "profile/store_targets.h"

#define ROUNDS 8

/*
 * A sample adds 255 nodes at most, so a quarter of the limit lasts for more samples than this part
 * of it. Whatever goes wrong, room is made no more often than after so many.
 */
#define NODES_FOR_AN_ADD 2048

/* A node that nobody refers to, and one that is kept and charged to nobody. */
#define OWNER_NONE   (UINT32_MAX - 1)
#define OWNER_NOBODY TRIE_NONE

static void mark(uint32_t *owners, uint32_t node, uint32_t tenant)
{
    if (owners[node] == OWNER_NONE)
        owners[node] = tenant;
}

static void mark_target(const struct store_target *target, uint32_t *owners)
{
    const uint32_t tenant = target->tenant->number;

    for (size_t i = 0; i < target->n_slices; i++) {
        struct slice_reader reader = slice_read(target->slices[i]);
        struct slice_entry entry;

        while (slice_next(&reader, &entry))
            mark(owners, entry.node, tenant);
    }
    for (size_t i = 0; i < OPEN_MINUTES; i++)
        for (size_t j = 0; j < target->open[i].counts.n_entries; j++) {
            const uint32_t node = target->open[i].counts.entries[j].node;

            if (node != COUNT_MAP_EMPTY)
                mark(owners, node, tenant);
        }
}

/* Whose a node is, of all in the trie: its first user, of whom those with slices come first. */
static void find_owners(const struct profile_store *store, uint32_t *owners)
{
    for (size_t i = 0; i < store->trie.n; i++)
        owners[i] = OWNER_NONE;
    owners[0] = owners[STORE_FOLDED_NODE] = OWNER_NOBODY;
    for (size_t i = 0; i < store->n_targets; i++)
        mark_target(store->targets[i], owners);
    for (size_t i = 0; i < store->recent.n; i++) {
        const struct recent_sample *sample = &store->recent.samples[i];

        if (sample->target != RECENT_NO_TARGET)
            mark(owners, sample->node, store->targets[sample->target]->tenant->number);
    }
    for (size_t i = store->trie.n; i-- > 1;)
        if (owners[i] != OWNER_NONE)
            mark(owners, store->trie.nodes[i].parent, owners[i]);
}

static void charge(struct profile_store *store, const uint32_t *owners)
{
    for (size_t i = 0; i < store->n_tenants; i++)
        store->tenants[i]->nodes = 0;
    for (size_t i = 0; i < store->trie.n; i++) {
        store->trie.nodes[i].tenant = owners[i];
        if (owners[i] < store->n_tenants)
            store->tenants[owners[i]]->nodes++;
    }
}

static void renumber_target(struct profile_store *store, struct store_target *target,
                            const uint32_t *numbers, struct entry_list *list)
{
    for (size_t i = 0; i < target->n_slices; i++) {
        const size_t before = slice_size(target->slices[i]);

        target->slices[i] = slice_renumber(target->slices[i], numbers);
        store->slice_bytes -= before - slice_size(target->slices[i]);
        target->tenant->bytes -= before - slice_size(target->slices[i]);
    }
    for (size_t i = 0; i < OPEN_MINUTES; i++)
        count_map_renumber(&target->open[i].counts, numbers, list);
}

static size_t most_open_counts(const struct profile_store *store)
{
    size_t most = 0;

    for (size_t i = 0; i < store->n_targets; i++)
        for (size_t j = 0; j < OPEN_MINUTES; j++)
            if (store->targets[i]->open[j].counts.n > most)
                most = store->targets[i]->open[j].counts.n;
    return most;
}

/* What the ring alone had of a target that has gone is garbage too. */
static void renumber_all(struct profile_store *store, const uint32_t *numbers,
                         struct entry_list *list)
{
    for (size_t i = 0; i < store->n_targets; i++)
        renumber_target(store, store->targets[i], numbers, list);
    for (size_t i = 0; i < store->recent.n; i++)
        if (store->recent.samples[i].target != RECENT_NO_TARGET)
            store->recent.samples[i].node = numbers[store->recent.samples[i].node];
}

int store_collect_garbage(struct profile_store *store)
{
    AUTO_FREE uint32_t *owners = calloc(store->trie.n, sizeof(*owners));
    AUTO_ENTRY_LIST struct entry_list list = {0};

    if (!owners || entry_list_reserve(&list, most_open_counts(store)) < 0)
        return -ENOMEM;
    find_owners(store, owners);
    charge(store, owners);
    for (size_t i = 0; i < store->trie.n; i++) /* now as trie_keep() wants it */
        owners[i] = owners[i] == OWNER_NONE ? TRIE_NONE : 0;
    trie_keep(&store->trie, owners);
    renumber_all(store, owners, &list);
    return 0;
}

static size_t three_quarters(size_t amount)
{
    return amount - amount / 4;
}

/*
 * To how many nodes a tenant is cut. Whoever is near its share, even if garbage was collected, is
 * cut like one that has reached it: otherwise it would be there again at once.
 */
static size_t cut_of(const struct profile_store *store, size_t nodes, size_t share)
{
    const size_t most = share_of_one(store->limits.nodes), cut = three_quarters(most);

    return nodes > most - most / 8 && cut < share ? cut : share;
}

/* Folds whoever has more than its share where there are to be `goal` nodes. Whether somebody did.
 */
static bool fold_to(struct profile_store *store, size_t goal)
{
    AUTO_FREE size_t *nodes = calloc(store->n_tenants + 1, sizeof(*nodes));
    size_t share = SIZE_MAX;
    bool is_folded = false;

    if (!nodes)
        return false;
    for (size_t i = 0; i < store->n_tenants; i++)
        nodes[i] = store->tenants[i]->nodes;
    if (store->trie.n > goal)
        share = fair_share(nodes, store->n_tenants, goal > 2 ? goal - 2 : 0);
    for (size_t i = 0; i < store->n_tenants; i++) {
        const size_t cut = cut_of(store, nodes[i], share);

        if (nodes[i] > cut)
            is_folded |= store_fold_tenant(store, store->tenants[i], cut) == 0;
    }
    return is_folded;
}

/*
 * What one has folded may be charged to another one then, who uses it too; so there are some
 * rounds, of which nearly always one suffices.
 */
static void reclaim_to(struct profile_store *store, size_t goal)
{
    if (store_collect_garbage(store) < 0)
        return;
    for (size_t i = 0; i < ROUNDS; i++)
        if (!fold_to(store, goal) || store_collect_garbage(store) < 0)
            return;
}

void store_reclaim_nodes(struct profile_store *store)
{
    reclaim_to(store, three_quarters(store->limits.nodes));
    store->adds_to_wait = store->limits.nodes / NODES_FOR_AN_ADD;
}

static void mark_functions(const struct trie *trie, uint32_t *numbers)
{
    for (size_t i = 1; i < trie->n; i++)
        numbers[trie->nodes[i].function] = 0;
}

static void renumber_functions(struct trie *trie, const uint32_t *numbers)
{
    for (size_t i = 1; i < trie->n; i++)
        trie->nodes[i].function = numbers[trie->nodes[i].function];
    trie_index(trie);
}

static int keep_functions(struct profile_store *store)
{
    AUTO_FREE uint32_t *numbers = calloc(store->names.n, sizeof(*numbers));

    if (!numbers)
        return -ENOMEM;
    memset(numbers, 0xff, store->names.n * sizeof(*numbers));
    numbers[STORE_FOLDED_FUNCTION] = 0;
    mark_functions(&store->trie, numbers);
    if (store->guest)
        mark_functions(store->guest, numbers);
    name_table_keep(&store->names, numbers);
    renumber_functions(&store->trie, numbers);
    if (store->guest)
        renumber_functions(store->guest, numbers);
    store->generation++;
    return 0;
}

static bool has_more_names(const struct profile_store *store, size_t eighths)
{
    const size_t limit = store->limits.functions;

    return store->names.n > limit / 8 * eighths ||
           store->names.bytes > limit * STORE_NAME_BYTES / 8 * eighths;
}

void store_reclaim_functions(struct profile_store *store)
{
    if (!has_more_names(store, 7) || store_collect_garbage(store) < 0 || keep_functions(store) < 0)
        return;
    for (size_t i = 0; i < ROUNDS && has_more_names(store, 6); i++) {
        reclaim_to(store, three_quarters(store->trie.n));
        if (keep_functions(store) < 0)
            return;
    }
}
