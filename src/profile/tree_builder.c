/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/tree_builder.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

void tree_builder_init(struct tree_builder *builder)
{
    *builder = (struct tree_builder){0};
    builder->failed = trie_init(&builder->trie) < 0 || name_table_init(&builder->names) < 0;
}

void tree_builder_done(struct tree_builder *builder)
{
    trie_done(&builder->trie);
    name_table_done(&builder->names);
    free(builder->tallies);
    *builder = (struct tree_builder){0};
}

uint32_t tree_builder_function(struct tree_builder *builder,
                               const struct profile_function_name *function)
{
    uint32_t number = NAME_NONE;

    if (!builder->failed)
        number =
            name_table_number(&builder->names, function->kind, function->owner, function->name);
    builder->failed |= number == NAME_NONE;
    return number;
}

uint32_t tree_builder_child(struct tree_builder *builder, uint32_t parent, uint32_t function)
{
    uint32_t node = TRIE_NONE;

    if (!builder->failed)
        node = trie_child(&builder->trie, parent, function);
    builder->failed |= node == TRIE_NONE;
    return node != TRIE_NONE ? node : parent;
}

static bool reserve_tallies(struct tree_builder *builder)
{
    const size_t before = builder->capacity;
    struct tree_tally *grown;

    if (builder->failed || builder->trie.n <= before)
        return !builder->failed;
    grown = array_reserve(builder->tallies, sizeof(*grown), &builder->capacity, builder->trie.n);
    if (!grown) {
        builder->failed = true;
        return false;
    }
    memset(grown + before, 0, (builder->capacity - before) * sizeof(*grown));
    builder->tallies = grown;
    return true;
}

void tree_builder_add(struct tree_builder *builder, uint32_t node, uint64_t samples, uint64_t value)
{
    if (!reserve_tallies(builder))
        return;
    builder->tallies[node].self += samples;
    builder->tallies[node].self_value += value;
}

/* A parent has a lower number than its children, so one way down from the end adds up all. */
static void fill_nodes(const struct tree_builder *builder, struct profile_node *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct trie_node *node = &builder->trie.nodes[i];
        const struct tree_tally *tally = &builder->tallies[i];

        nodes[i] = (struct profile_node){node->parent, node->function,    tally->self,
                                         tally->self,  tally->self_value, tally->self_value};
    }
    for (size_t i = n; i-- > 1;) {
        nodes[nodes[i].parent].total += nodes[i].total;
        nodes[nodes[i].parent].total_value += nodes[i].total_value;
    }
}

int tree_builder_finish(struct tree_builder *builder, const struct profile_tree *like,
                        struct profile_tree **ret_tree)
{
    AUTO(profile_tree) struct profile_tree *tree = calloc(1, sizeof(*tree));

    if (!tree || !reserve_tallies(builder))
        return -ENOMEM;
    tree->from_ns = like->from_ns;
    tree->to_ns = like->to_ns;
    tree->rate_hz = like->rate_hz;
    tree->event = like->event ? strdup(like->event) : NULL;
    tree->nodes = calloc(builder->trie.n, sizeof(*tree->nodes));
    if (!tree->nodes || (like->event && !tree->event))
        return -ENOMEM;
    tree->n_nodes = builder->trie.n;
    fill_nodes(builder, tree->nodes, tree->n_nodes);
    tree->functions = name_table_take(&builder->names, &tree->n_functions);
    tree_builder_done(builder);
    *ret_tree = TAKE(tree);
    return 0;
}

uint32_t *tree_builder_functions(struct tree_builder *builder, const struct profile_tree *tree)
{
    uint32_t *numbers = calloc(tree->n_functions + 1, sizeof(*numbers));

    for (size_t i = 0; numbers && i < tree->n_functions; i++)
        numbers[i] = tree_builder_function(builder, &tree->functions[i]);
    return numbers;
}
