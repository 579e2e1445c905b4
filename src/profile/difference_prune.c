/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Of two trees that were pruned each by itself, "(17 small)" and "(18 small)" would be two nodes of
 * which both differ. So what is compared are whole trees, and the result is pruned.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "profile/difference.h"
#include "profile/kept_nodes.h"
#include "profile/name_table.h"

static int choose(const struct difference *difference, size_t most, bool *ret_kept)
{
    AUTO_FREE uint32_t *parents = calloc(difference->n_nodes, sizeof(*parents));
    AUTO_FREE uint64_t *weights = calloc(difference->n_nodes, sizeof(*weights));

    if (!parents || !weights)
        return -ENOMEM;
    for (size_t i = 0; i < difference->n_nodes; i++) {
        parents[i] = difference->nodes[i].parent;
        weights[i] = difference->nodes[i].total[0] + difference->nodes[i].total[1];
    }
    return kept_nodes_choose(parents, weights, difference->n_nodes, most, ret_kept);
}

/* What is cut below a node that is kept: how many nodes, and the sum of the uppermost of them. */
struct cut {
    uint64_t n;
    struct difference_node sum;
};

static void add_cut(struct cut *cut, const struct difference_node *node, bool is_uppermost)
{
    cut->n++;
    if (!is_uppermost)
        return;
    for (size_t side = 0; side < 2; side++) {
        cut->sum.self[side] += node->total[side];
        cut->sum.self_value[side] += node->total_value[side];
    }
    cut->sum.change += node->change;
    cut->sum.sigma = hypot(cut->sum.sigma, node->sigma);
}

/* Nodes that are kept get their new numbers, the others those of the one above. Returns how many.
 */
static size_t number_nodes(const struct difference *difference, const bool *kept, uint32_t *numbers,
                           struct cut *cuts)
{
    uint32_t n = 0;

    for (size_t i = 0; i < difference->n_nodes; i++) {
        const struct difference_node *node = &difference->nodes[i];

        if (kept[i]) {
            numbers[i] = n++;
            continue;
        }
        numbers[i] = numbers[node->parent];
        add_cut(&cuts[numbers[i]], node, kept[node->parent]);
    }
    return n;
}

/* Functions of rows stay, so those of the nodes "(n small)" come behind them. */
static int add_small(struct difference_node *nodes, size_t *n, const struct cut *cuts,
                     struct name_table *names)
{
    const size_t n_kept = *n;

    for (uint32_t i = 0; i < n_kept; i++) {
        struct difference_node *node = &nodes[*n];
        char name[32];

        if (cuts[i].n == 0)
            continue;
        (void)snprintf(name, sizeof(name), "(%llu small)", (unsigned long long)cuts[i].n);
        *node = cuts[i].sum;
        memcpy(node->total, node->self, sizeof(node->total));
        memcpy(node->total_value, node->self_value, sizeof(node->total_value));
        node->parent = i;
        node->function = name_table_number(names, PROFILE_NOTE, "", name);
        if (node->function == NAME_NONE)
            return -ENOMEM;
        (*n)++;
    }
    return 0;
}

/* The functions as they are, with their numbers. */
static int copy_functions(const struct difference *difference, struct name_table *names)
{
    int r = name_table_init(names);

    for (size_t i = 0; r == 0 && i < difference->n_functions; i++) {
        const struct profile_function_name *function = &difference->functions[i];

        if (name_table_add(names, function->kind, function->owner, function->name, true) ==
            NAME_NONE)
            r = -ENOMEM;
    }
    return r;
}

static void copy_kept(const struct difference *difference, const bool *kept,
                      const uint32_t *numbers, struct difference_node *nodes)
{
    for (size_t i = 0; i < difference->n_nodes; i++) {
        struct difference_node node = difference->nodes[i];

        if (!kept[i])
            continue;
        if (i > 0)
            node.parent = numbers[node.parent];
        nodes[numbers[i]] = node;
    }
}

static void replace(struct difference *difference, struct difference_node *nodes, size_t n,
                    struct name_table *names)
{
    for (size_t i = 0; i < difference->n_functions; i++)
        free(difference->functions[i].owner);
    free(difference->functions);
    free(difference->nodes);
    difference->nodes = nodes;
    difference->n_nodes = n;
    difference->functions = name_table_take(names, &difference->n_functions);
}

static int prune(struct difference *difference, const bool *kept, struct name_table *names)
{
    const size_t n_before = difference->n_nodes;
    AUTO_FREE uint32_t *numbers = calloc(n_before, sizeof(*numbers));
    AUTO_FREE struct cut *cuts = calloc(n_before, sizeof(*cuts));
    AUTO_FREE struct difference_node *nodes = calloc(2 * n_before, sizeof(*nodes));
    size_t n;

    if (!numbers || !cuts || !nodes || copy_functions(difference, names) < 0)
        return -ENOMEM;
    n = number_nodes(difference, kept, numbers, cuts);
    copy_kept(difference, kept, numbers, nodes);
    if (add_small(nodes, &n, cuts, names) < 0)
        return -ENOMEM;
    replace(difference, TAKE(nodes), n, names);
    return 0;
}

int difference_prune(struct difference *difference, size_t most_nodes)
{
    AUTO_FREE bool *kept = calloc(difference->n_nodes, sizeof(*kept));
    struct name_table names = {0};
    int r;

    if (difference->n_nodes <= most_nodes)
        return 0;
    if (!kept)
        return -ENOMEM;
    r = choose(difference, most_nodes < 2 ? 2 : most_nodes, kept);
    if (r == 0)
        r = prune(difference, kept, &names);
    name_table_done(&names);
    return r;
}
