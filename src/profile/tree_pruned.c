/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "profile/kept_nodes.h"
#include "profile/tree_builder.h"

/* What is cut below a node that is kept. */
struct cut {
    uint64_t n; /* nodes */
    struct tree_tally tally;
};

static int choose(const struct profile_tree *tree, size_t most, bool *ret_kept)
{
    AUTO_FREE uint32_t *parents = calloc(tree->n_nodes, sizeof(*parents));
    AUTO_FREE uint64_t *weights = calloc(tree->n_nodes, sizeof(*weights));

    if (!parents || !weights)
        return -ENOMEM;
    for (size_t i = 0; i < tree->n_nodes; i++) {
        parents[i] = tree->nodes[i].parent;
        weights[i] = tree->nodes[i].total;
    }
    return kept_nodes_choose(parents, weights, tree->n_nodes, most, ret_kept);
}

/* Nodes that are kept get their new numbers in `numbers`, all others that of the one above. */
static void copy_kept(const struct profile_tree *tree, const bool *kept, uint32_t *numbers,
                      struct cut *cuts, struct tree_builder *builder)
{
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const struct profile_node *node = &tree->nodes[i];
        const uint32_t above = i > 0 ? numbers[node->parent] : 0;

        numbers[i] = above;
        if (i > 0 && kept[i])
            numbers[i] = tree_builder_child(
                builder, above, tree_builder_function(builder, &tree->functions[node->function]));
        if (kept[i]) {
            tree_builder_add(builder, numbers[i], node->self, node->self_value);
            continue;
        }
        cuts[above].n++;
        cuts[above].tally.self += node->self;
        cuts[above].tally.self_value += node->self_value;
    }
}

static void add_cuts(const struct cut *cuts, size_t n, struct tree_builder *builder)
{
    for (uint32_t i = 0; i < n; i++) {
        char owner[] = "", name[32];
        const struct profile_function_name function = {PROFILE_NOTE, owner, name};
        uint32_t node;

        if (cuts[i].n == 0)
            continue;
        (void)snprintf(name, sizeof(name), "(%llu small)", (unsigned long long)cuts[i].n);
        node = tree_builder_child(builder, i, tree_builder_function(builder, &function));
        tree_builder_add(builder, node, cuts[i].tally.self, cuts[i].tally.self_value);
    }
}

static int make_pruned(const struct profile_tree *tree, const bool *kept,
                       struct profile_tree **ret_tree)
{
    AUTO_FREE uint32_t *numbers = calloc(tree->n_nodes, sizeof(*numbers));
    AUTO_FREE struct cut *cuts = calloc(tree->n_nodes, sizeof(*cuts));
    AUTO_TREE_BUILDER struct tree_builder builder;

    tree_builder_init(&builder);
    if (!numbers || !cuts)
        return -ENOMEM;
    copy_kept(tree, kept, numbers, cuts, &builder);
    add_cuts(cuts, tree->n_nodes, &builder);
    return tree_builder_finish(&builder, tree, ret_tree);
}

int profile_tree_prune(struct profile_tree *tree, size_t most_nodes)
{
    AUTO_FREE bool *kept = calloc(tree->n_nodes, sizeof(*kept));
    AUTO(profile_tree) struct profile_tree *pruned = NULL;
    struct profile_tree whole = *tree;
    int r;

    if (tree->n_nodes <= most_nodes)
        return 0;
    if (!kept)
        return -ENOMEM;
    r = choose(tree, most_nodes < 2 ? 2 : most_nodes, kept);
    if (r == 0)
        r = make_pruned(tree, kept, &pruned);
    if (r < 0 || !pruned)
        return r;
    *tree = *pruned;
    *pruned = whole;
    return 0;
}
