/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/store_guest.h"
#include "profile/tree_builder.h"
#include "profile/trie.h"

struct recorded {
    struct profile_store *store;
    struct trie trie; /* its functions are the store's */
    uint64_t *events; /* [node]: of the samples that ended there */
    size_t capacity, most_nodes;
    uint64_t samples;
    double sum, squares; /* of the periods */
};

struct recorded *recorded_new(struct profile_store *store, size_t most_nodes)
{
    AUTO(recorded) struct recorded *recorded = calloc(1, sizeof(*recorded));

    if (!recorded)
        return NULL;
    recorded->store = store;
    recorded->most_nodes = most_nodes;
    if (trie_init(&recorded->trie) < 0)
        return NULL;
    store_set_guest(store, &recorded->trie);
    return TAKE(recorded);
}

struct recorded *recorded_free(struct recorded *recorded)
{
    if (!recorded)
        return NULL;
    store_set_guest(recorded->store, NULL);
    trie_done(&recorded->trie);
    free(recorded->events);
    free(recorded);
    return NULL;
}

/* The child of a node where there is one, or room for it. TRIE_NONE: there is none. */
static uint32_t child_of(struct recorded *recorded, uint32_t node, uint32_t function)
{
    if (recorded->trie.n < recorded->most_nodes)
        return trie_child(&recorded->trie, node, function);
    return trie_find(&recorded->trie, node, function);
}

/* Each node has at most one "(folded)" below it, so these are bounded without a limit. */
static uint32_t node_of(struct recorded *recorded, const struct profile_stack *stack)
{
    uint32_t node = 0, below;

    for (size_t i = 0; i < stack->n; i++) {
        below = child_of(recorded, node, stack->functions[i]);
        if (below == TRIE_NONE) {
            below = trie_child(&recorded->trie, node, store_folded_function());
            return below != TRIE_NONE ? below : node;
        }
        node = below;
    }
    return node;
}

static bool reserve_events(struct recorded *recorded)
{
    const size_t before = recorded->capacity;
    uint64_t *grown;

    if (recorded->trie.n <= before)
        return true;
    grown = array_reserve(recorded->events, sizeof(*grown), &recorded->capacity, recorded->trie.n);
    if (!grown)
        return false;
    memset(grown + before, 0, (recorded->capacity - before) * sizeof(*grown));
    recorded->events = grown;
    return true;
}

/* Without memory it is the root's, which is always there once there was a sample. */
void recorded_add(struct recorded *recorded, const struct profile_stack *stack, uint64_t period)
{
    const uint32_t node = node_of(recorded, stack);

    if (!reserve_events(recorded) && recorded->capacity == 0)
        return;
    recorded->events[node < recorded->capacity ? node : 0] += period;
    recorded->samples++;
    recorded->sum += (double)period;
    recorded->squares += (double)period * (double)period;
}

uint64_t recorded_samples(const struct recorded *recorded)
{
    return recorded->samples;
}

bool *recorded_functions(const struct recorded *recorded, size_t *ret_n)
{
    const struct trie *trie = &recorded->trie;
    uint32_t last = 0;
    bool *has;

    for (uint32_t i = 1; i < trie->n; i++)
        if (trie->nodes[i].function > last)
            last = trie->nodes[i].function;
    has = calloc((size_t)last + 1, sizeof(*has));
    for (uint32_t i = 1; has && i < trie->n; i++)
        has[trie->nodes[i].function] = true;
    *ret_n = has ? (size_t)last + 1 : 0;
    return has;
}

/* How many samples of equal weight so many events are, of all that come before them and theirs. */
static uint64_t weigh(const struct recorded *recorded, double events)
{
    return recorded->squares > 0 ? (uint64_t)llround(events * recorded->sum / recorded->squares)
                                 : 0;
}

int recorded_tree(const struct recorded *recorded, struct profile_tree **ret_tree)
{
    const struct trie *trie = &recorded->trie;
    const struct profile_tree like = {0};
    AUTO_TREE_BUILDER struct tree_builder builder = {0};
    AUTO_FREE uint32_t *numbers = calloc(trie->n, sizeof(*numbers));
    uint64_t before = 0, events = 0;

    if (!numbers)
        return -ENOMEM;
    tree_builder_init(&builder);
    for (uint32_t i = 0; i < trie->n; i++) {
        const uint64_t of_node = i < recorded->capacity ? recorded->events[i] : 0;
        uint64_t after;

        if (i > 0)
            numbers[i] = tree_builder_child(
                &builder, numbers[trie->nodes[i].parent],
                tree_builder_function(
                    &builder, store_function_name(recorded->store, trie->nodes[i].function)));
        events += of_node;
        after = weigh(recorded, (double)events);
        tree_builder_add(&builder, numbers[i], after - before, of_node);
        before = after;
    }
    return tree_builder_finish(&builder, &like, ret_tree);
}
