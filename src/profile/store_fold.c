/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Folding. Each node of a tenant has a weight: the samples of all its slices that passed through
 * it, where those of an hour ago weigh half of those of now, those of a day ago a twenty-fifth.
 * The nodes of the greatest weight are kept. The samples of the others go to "(folded)" below the
 * nearest node above them that is kept. So totals stay, and who looks at yesterday sees the great
 * parts of it.
 */
#include "profile/store_fold.h"

#include <errno.h>

#include "profile/kept_nodes.h"
#include "profile/store_targets.h"

#define WEIGHT_NOW 1000

/* The nodes of a tenant, in the order of their numbers, and for each node of the trie what of it.
 */
struct folding {
    uint64_t *weights; /* [node] */
    uint32_t *numbers; /* [node]: at first its place in `nodes`, then where its samples go */
    uint32_t *nodes;   /* those that have a weight */
    size_t n;
    size_t n_trie; /* of the trie before */
};

static void folding_done(struct folding *folding)
{
    free(folding->weights);
    free(folding->numbers);
    free(folding->nodes);
}
#define AUTO_FOLDING __attribute__((cleanup(folding_done)))

static uint64_t weight_of(const struct profile_store *store, uint32_t minute)
{
    const uint32_t now = (uint32_t)(store->latest_ns / MINUTE_NS);

    return WEIGHT_NOW * 60 / (60 + (now > minute ? now - minute : 0)) + 1;
}

static void weigh(const struct trie *trie, struct folding *folding, uint32_t node, uint64_t weight)
{
    for (; node != TRIE_NONE; node = trie->nodes[node].parent) {
        if (folding->weights[node] == 0)
            folding->nodes[folding->n++] = node;
        folding->weights[node] += weight;
    }
}

static void weigh_open(const struct profile_store *store, const struct open_minute *open,
                       struct folding *folding)
{
    const uint64_t weight = weight_of(store, open->minute);

    if (open->folded > 0)
        weigh(&store->trie, folding, STORE_FOLDED_NODE, weight * open->folded);
    for (size_t i = 0; i < open->counts.n_entries; i++) {
        const struct slice_entry *entry = &open->counts.entries[i];

        if (entry->node != COUNT_MAP_EMPTY)
            weigh(&store->trie, folding, entry->node, weight * entry->count);
    }
}

static void weigh_target(const struct profile_store *store, const struct store_target *target,
                         struct folding *folding)
{
    for (size_t i = 0; i < target->n_slices; i++) {
        const uint64_t weight = weight_of(store, target->slices[i]->minute);
        struct slice_reader reader = slice_read(target->slices[i]);
        struct slice_entry entry;

        while (slice_next(&reader, &entry))
            weigh(&store->trie, folding, entry.node, weight * entry.count);
    }
    for (size_t i = 0; i < OPEN_MINUTES; i++)
        weigh_open(store, &target->open[i], folding);
}

/* What only the ring has left weighs least of all. */
static void weigh_recent(const struct profile_store *store, const struct store_tenant *tenant,
                         struct folding *folding)
{
    for (size_t i = 0; i < store->recent.n; i++) {
        const struct recent_sample *sample = &store->recent.samples[i];

        if (sample->target != RECENT_NO_TARGET && store->targets[sample->target]->tenant == tenant)
            weigh(&store->trie, folding, sample->node, 1);
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static int weigh_all(const struct profile_store *store, const struct store_tenant *tenant,
                     struct folding *folding)
{
    folding->n_trie = store->trie.n;
    folding->weights = calloc(store->trie.n, sizeof(*folding->weights));
    folding->numbers = calloc(store->trie.n, sizeof(*folding->numbers));
    folding->nodes = calloc(store->trie.n, sizeof(*folding->nodes));
    if (!folding->weights || !folding->numbers || !folding->nodes)
        return -ENOMEM;
    for (size_t i = 0; i < store->n_targets; i++)
        if (store->targets[i]->tenant == tenant)
            weigh_target(store, store->targets[i], folding);
    weigh_recent(store, tenant, folding);
    qsort(folding->nodes, folding->n, sizeof(*folding->nodes), by_number);
    return 0;
}

/* "(folded)" is no node to be kept: it comes into being where something is folded. */
static int choose(const struct trie *trie, struct folding *folding, size_t most, bool *ret_kept)
{
    AUTO_FREE uint32_t *parents = calloc(folding->n, sizeof(*parents));
    AUTO_FREE uint64_t *weights = calloc(folding->n, sizeof(*weights));

    if (!parents || !weights)
        return -ENOMEM;
    for (uint32_t i = 0; i < folding->n; i++) {
        const uint32_t node = folding->nodes[i];

        folding->numbers[node] = i;
        if (i > 0)
            parents[i] = folding->numbers[trie->nodes[node].parent];
        weights[i] =
            trie->nodes[node].function == STORE_FOLDED_FUNCTION ? 0 : folding->weights[node];
    }
    return kept_nodes_choose(parents, weights, folding->n, most, ret_kept);
}

static uint32_t folded_below(struct profile_store *store, uint32_t parent, uint32_t tenant)
{
    uint32_t node = trie_find(&store->trie, parent, STORE_FOLDED_FUNCTION);

    if (node == TRIE_NONE)
        node = trie_add(&store->trie, parent, STORE_FOLDED_FUNCTION, tenant);
    return node != TRIE_NONE ? node : STORE_FOLDED_NODE;
}

/* A node that is kept goes to itself; one below what is folded goes where its parent goes. */
static void decide(struct profile_store *store, const struct store_tenant *tenant,
                   struct folding *folding, const bool *kept)
{
    for (size_t i = 0; i < folding->n; i++) {
        const uint32_t node = folding->nodes[i], parent = store->trie.nodes[node].parent;

        if (kept[i])
            folding->numbers[node] = node;
        else if (folding->numbers[parent] == parent)
            folding->numbers[node] = folded_below(store, parent, tenant->number);
        else
            folding->numbers[node] = folding->numbers[parent];
    }
}

static bool is_folded(const struct profile_store *store, uint32_t node)
{
    return store->trie.nodes[node].function == STORE_FOLDED_FUNCTION;
}

/* Moves entries, and returns how many samples lost their leaf. */
static uint64_t move_entries(const struct profile_store *store, const struct folding *folding,
                             struct entry_list *list)
{
    uint64_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        struct slice_entry *entry = &list->entries[i];
        const uint32_t to = folding->numbers[entry->node];

        if (to != entry->node && !is_folded(store, entry->node))
            n += entry->count;
        entry->node = to;
    }
    return n;
}

/* The new slice takes the place of the old one, which stays if there is no memory. */
static int fold_slice(struct profile_store *store, struct store_target *target, size_t at,
                      const struct folding *folding)
{
    AUTO_ENTRY_LIST struct entry_list list = {0};
    struct slice *slice = target->slices[at], *folded;
    uint64_t n;

    if (slice_list(slice, &list) < 0)
        return -ENOMEM;
    n = move_entries(store, folding, &list);
    folded = slice_new(&list, slice->minute, slice->n_minutes, slice->rate_hz);
    if (!folded)
        return -ENOMEM;
    store->folded_samples += n;
    store->slice_bytes += slice_size(folded) - slice_size(slice);
    target->tenant->bytes += slice_size(folded) - slice_size(slice);
    free(slice);
    target->slices[at] = folded;
    return 0;
}

static int fold_open(struct profile_store *store, struct open_minute *open,
                     const struct folding *folding)
{
    AUTO_ENTRY_LIST struct entry_list list = {0};
    struct count_map counts = {0};
    uint64_t n;
    int r = count_map_list(&open->counts, &list);

    if (r < 0)
        return r;
    n = move_entries(store, folding, &list);
    for (size_t i = 0; i < list.n && r == 0; i++)
        r = count_map_add(&counts, list.entries[i].node, list.entries[i].count);
    if (r < 0) {
        count_map_done(&counts);
        return r;
    }
    store->folded_samples += n;
    count_map_done(&open->counts);
    open->counts = counts;
    return 0;
}

static int fold_target(struct profile_store *store, struct store_target *target,
                       const struct folding *folding)
{
    int r = 0;

    for (size_t i = 0; i < target->n_slices && r == 0; i++)
        r = fold_slice(store, target, i, folding);
    for (size_t i = 0; i < OPEN_MINUTES && r == 0; i++)
        r = fold_open(store, &target->open[i], folding);
    return r;
}

static void fold_recent(struct profile_store *store, const struct store_tenant *tenant,
                        const struct folding *folding)
{
    for (size_t i = 0; i < store->recent.n; i++) {
        struct recent_sample *sample = &store->recent.samples[i];

        if (sample->target != RECENT_NO_TARGET && store->targets[sample->target]->tenant == tenant)
            sample->node = folding->numbers[sample->node];
    }
}

int store_fold_tenant(struct profile_store *store, const struct store_tenant *tenant, size_t most)
{
    AUTO_FOLDING struct folding folding = {0};
    AUTO_FREE bool *kept = NULL;
    int r = weigh_all(store, tenant, &folding);

    if (r < 0 || folding.n <= most)
        return r;
    kept = calloc(folding.n, sizeof(*kept));
    if (!kept)
        return -ENOMEM;
    r = choose(&store->trie, &folding, most < 2 ? 2 : most, kept);
    if (r < 0)
        return r;
    decide(store, tenant, &folding, kept);
    fold_recent(store, tenant, &folding);
    for (size_t i = 0; i < store->n_targets && r == 0; i++)
        if (store->targets[i]->tenant == tenant)
            r = fold_target(store, store->targets[i], &folding);
    return r;
}
