/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How a range is answered. If the ring has all samples from the begin of the range on, by the ring
 * alone: exactly, to the millisecond. Otherwise by slices and open minutes alone, each of them
 * whole: the range is widened to minutes, and to hours before `minutes_from`. A sample is in the
 * ring once, and in one slice or open minute once, so none is counted twice.
 */
#include <errno.h>

#include "base/clock.h"
#include "profile/store_targets.h"
#include "profile/store_time.h"
#include "profile/tree_builder.h"
#include "sys/bpf/profile/period.h"

struct collection {
    const struct profile_store *store;
    uint64_t from_ns, to_ns;    /* as widened */
    bool *is_in;                /* [target] */
    struct tree_tally *tallies; /* [node] */
    unsigned rate_hz;           /* of all so far; 0 if they differ */
    bool has_rate;
};

static void collection_done(struct collection *collection)
{
    free(collection->is_in);
    free(collection->tallies);
}
#define AUTO_COLLECTION __attribute__((cleanup(collection_done)))

static void count(struct collection *collection, uint32_t node, uint64_t samples, unsigned rate_hz)
{
    collection->tallies[node].self += samples;
    if (rate_hz > 0)
        collection->tallies[node].self_value += samples * profile_period_ns(rate_hz);
    if (!collection->has_rate)
        collection->rate_hz = rate_hz;
    else if (collection->rate_hz != rate_hz)
        collection->rate_hz = 0;
    collection->has_rate = true;
}

static void count_recent(struct collection *collection)
{
    const struct recent *recent = &collection->store->recent;
    const uint64_t from_ms = collection->from_ns / 1000000, to_ms = collection->to_ns / 1000000;

    for (size_t i = 0; i < recent->n; i++) {
        const struct recent_sample *sample = &recent->samples[i];
        const uint64_t time_ms = recent_time_ms(recent, sample);

        if (sample->target != RECENT_NO_TARGET && collection->is_in[sample->target] &&
            time_ms >= from_ms && time_ms < to_ms)
            count(collection, sample->node, 1, collection->store->rate_hz);
    }
}

static bool is_within(const struct collection *collection, uint32_t minute, uint32_t end)
{
    return end * MINUTE_NS > collection->from_ns && minute * MINUTE_NS < collection->to_ns;
}

static void count_open(struct collection *collection, const struct open_minute *open)
{
    const unsigned rate_hz = collection->store->rate_hz;

    if (open_minute_is_empty(open) || !is_within(collection, open->minute, open->minute + 1))
        return;
    if (open->folded > 0)
        count(collection, STORE_FOLDED_NODE, open->folded, rate_hz);
    for (size_t i = 0; i < open->counts.n_entries; i++)
        if (open->counts.entries[i].node != COUNT_MAP_EMPTY)
            count(collection, open->counts.entries[i].node, open->counts.entries[i].count, rate_hz);
}

static void count_slices(struct collection *collection, const struct store_target *target)
{
    for (size_t i = 0; i < target->n_slices; i++) {
        const struct slice *slice = target->slices[i];
        struct slice_reader reader = slice_read(slice);
        struct slice_entry entry;

        if (is_within(collection, slice->minute, slice_end(slice)))
            while (slice_next(&reader, &entry))
                count(collection, entry.node, entry.count, slice->rate_hz);
    }
    for (size_t i = 0; i < OPEN_MINUTES; i++)
        count_open(collection, &target->open[i]);
}

static uint64_t floor_to(uint64_t time_ns, uint64_t unit_ns)
{
    return time_ns - time_ns % unit_ns;
}

static uint64_t ceil_to(uint64_t time_ns, uint64_t unit_ns)
{
    return time_ns > UINT64_MAX - unit_ns ? time_ns : floor_to(time_ns + unit_ns - 1, unit_ns);
}

/* No sample is older than what is kept, and none is newer than the latest one. */
static void cut(struct collection *collection, uint64_t wanted_to_ns)
{
    const struct profile_store *store = collection->store;
    uint64_t first_ns = UINT64_MAX;

    for (size_t i = 0; i < store->n_targets; i++)
        if (store->targets[i]->last_ns > 0 && store->targets[i]->first_ns < first_ns)
            first_ns = store->targets[i]->first_ns;
    if (collection->from_ns < first_ns && first_ns < wanted_to_ns)
        collection->from_ns = first_ns;
    if (collection->to_ns > store->latest_ns + 1 && collection->from_ns <= store->latest_ns)
        collection->to_ns = store->latest_ns + 1;
}

static void widen(struct collection *collection)
{
    const uint64_t minutes_from_ns = collection->store->minutes_from * MINUTE_NS;
    const uint64_t from_ns = collection->from_ns, to_ns = collection->to_ns;

    collection->from_ns = floor_to(from_ns, from_ns < minutes_from_ns ? 60 * MINUTE_NS : MINUTE_NS);
    collection->to_ns = ceil_to(to_ns, to_ns <= minutes_from_ns ? 60 * MINUTE_NS : MINUTE_NS);
    cut(collection, to_ns);
}

static void count_all(struct collection *collection)
{
    const struct profile_store *store = collection->store;

    if (collection->from_ns / 1000000 >= store->recent.whole_from_ms) {
        count_recent(collection);
        if (collection->from_ns < store->began_ns && store->began_ns < collection->to_ns)
            collection->from_ns = store->began_ns; /* nobody knows what was before */
        return;
    }
    widen(collection);
    for (size_t i = 0; i < store->n_targets; i++)
        if (collection->is_in[i])
            count_slices(collection, store->targets[i]);
}

/* Which nodes of the trie have samples, or something below them that has. */
static bool *find_used(const struct collection *collection)
{
    const struct trie *trie = &collection->store->trie;
    bool *used = calloc(trie->n, sizeof(*used));

    for (size_t i = trie->n; used && i-- > 0;) {
        used[i] |= collection->tallies[i].self > 0;
        if (used[i] && i > 0)
            used[trie->nodes[i].parent] = true;
    }
    return used;
}

/* Functions of one name become one here, and so do the nodes that have the same callers then. */
static int build(const struct collection *collection, struct profile_tree **ret_tree)
{
    const struct profile_store *store = collection->store;
    const struct profile_tree like = {.from_ns = collection->from_ns,
                                      .to_ns = collection->to_ns,
                                      .rate_hz = collection->has_rate ? collection->rate_hz
                                                                      : store->rate_hz};
    AUTO_TREE_BUILDER struct tree_builder builder = {0};
    AUTO_FREE bool *used = find_used(collection);
    AUTO_FREE uint32_t *numbers = calloc(store->trie.n, sizeof(*numbers));
    AUTO_FREE uint32_t *functions = calloc(store->names.n, sizeof(*functions));

    if (!used || !numbers || !functions)
        return -ENOMEM;
    tree_builder_init(&builder);
    for (uint32_t i = 0; i < store->trie.n; i++) {
        const struct trie_node *node = &store->trie.nodes[i];

        if (used[i] && i > 0) {
            if (functions[node->function] == 0) /* one more than its number, as 0 is none yet */
                functions[node->function] =
                    tree_builder_function(&builder, &store->names.names[node->function]) + 1;
            numbers[i] =
                tree_builder_child(&builder, numbers[node->parent], functions[node->function] - 1);
        }
        if (used[i])
            tree_builder_add(&builder, numbers[i], collection->tallies[i].self,
                             collection->tallies[i].self_value);
    }
    return tree_builder_finish(&builder, &like, ret_tree);
}

int profile_store_collect(const struct profile_store *store, const struct profile_range *range,
                          struct profile_tree **ret_tree)
{
    AUTO_COLLECTION struct collection collection = {
        .store = store, .from_ns = range->from_ns, .to_ns = range->to_ns};

    collection.is_in = calloc(store->n_targets, sizeof(*collection.is_in));
    collection.tallies = calloc(store->trie.n, sizeof(*collection.tallies));
    if (!collection.is_in || !collection.tallies)
        return -ENOMEM;
    if (!store_targets_in(store, range, collection.is_in))
        return -ENOENT;
    count_all(&collection);
    return build(&collection, ret_tree);
}
