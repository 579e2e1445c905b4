/* SPDX-License-Identifier: Apache-2.0 */

/* A tree as seen from elsewhere: from the leaves, or from one function. */
#include "profile/tree.h"

#include <errno.h>

#include "profile/tree_builder.h"
#include "profile/tree_outermost.h"

/* Adds a node and what is above it, the other way round. */
static void add_upwards(const struct profile_tree *tree, uint32_t node, const uint32_t *functions,
                        const struct tree_tally *tally, struct tree_builder *builder)
{
    uint32_t at = 0;

    for (; tree->nodes[node].parent != PROFILE_NO_NODE; node = tree->nodes[node].parent)
        at = tree_builder_child(builder, at, functions[tree->nodes[node].function]);
    tree_builder_add(builder, at, tally->self, tally->self_value);
}

int profile_tree_invert(const struct profile_tree *tree, struct profile_tree **ret_tree)
{
    AUTO_TREE_BUILDER struct tree_builder builder;
    AUTO_FREE uint32_t *functions = NULL;

    tree_builder_init(&builder);
    functions = tree_builder_functions(&builder, tree);
    if (!functions)
        return -ENOMEM;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct profile_node *node = &tree->nodes[i];

        if (node->self > 0)
            add_upwards(tree, i, functions, &(struct tree_tally){node->self, node->self_value},
                        &builder);
    }
    return tree_builder_finish(&builder, tree, ret_tree);
}

static bool has_function(const struct profile_tree *tree, uint32_t function)
{
    for (size_t i = 1; i < tree->n_nodes; i++)
        if (tree->nodes[i].function == function)
            return true;
    return false;
}

/* numbers[node]: where it stands in the new tree, TRIE_NONE: nowhere. */
static void copy_below(const struct profile_tree *tree, uint32_t function, uint32_t *numbers,
                       struct tree_builder *builder)
{
    numbers[0] = TRIE_NONE;
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        const struct profile_node *node = &tree->nodes[i];
        const uint32_t above = numbers[node->parent];

        numbers[i] = TRIE_NONE;
        if (above == TRIE_NONE && node->function != function)
            continue;
        numbers[i] =
            tree_builder_child(builder, above != TRIE_NONE ? above : 0,
                               tree_builder_function(builder, &tree->functions[node->function]));
        tree_builder_add(builder, numbers[i], node->self, node->self_value);
    }
}

int profile_tree_callees(const struct profile_tree *tree, uint32_t function,
                         struct profile_tree **ret_tree)
{
    AUTO_TREE_BUILDER struct tree_builder builder = {0};
    AUTO_FREE uint32_t *numbers = calloc(tree->n_nodes, sizeof(*numbers));

    if (!has_function(tree, function))
        return -ENOENT;
    if (!numbers)
        return -ENOMEM;
    tree_builder_init(&builder);
    copy_below(tree, function, numbers, &builder);
    return tree_builder_finish(&builder, tree, ret_tree);
}

/* Functions get their numbers on the way, so that the new tree has only those that it needs. */
static void add_callers(const struct profile_tree *tree, uint32_t node,
                        struct tree_builder *builder)
{
    const struct profile_node *begin = &tree->nodes[node];
    uint32_t at = 0;

    for (; tree->nodes[node].parent != PROFILE_NO_NODE; node = tree->nodes[node].parent) {
        const struct profile_function_name *function = &tree->functions[tree->nodes[node].function];

        at = tree_builder_child(builder, at, tree_builder_function(builder, function));
    }
    tree_builder_add(builder, at, begin->total, begin->total_value);
}

int profile_tree_callers(const struct profile_tree *tree, uint32_t function,
                         struct profile_tree **ret_tree)
{
    AUTO_TREE_BUILDER struct tree_builder builder = {0};

    if (!has_function(tree, function))
        return -ENOENT;
    tree_builder_init(&builder);
    for (uint32_t i = 1; i < tree->n_nodes; i++)
        if (tree->nodes[i].function == function && profile_tree_is_outermost(tree, i))
            add_callers(tree, i, &builder);
    return tree_builder_finish(&builder, tree, ret_tree);
}
