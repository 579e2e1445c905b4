/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "profile/tree_outermost.h"

/* By what the samples stand for: those of other events have different weights. */
static int by_self(const void *a, const void *b)
{
    const struct profile_row *left = a, *right = b;

    if (left->self_value != right->self_value)
        return left->self_value < right->self_value ? 1 : -1;
    if (left->self != right->self)
        return left->self < right->self ? 1 : -1;
    if (left->total != right->total)
        return left->total < right->total ? 1 : -1;
    return (left->function > right->function) - (left->function < right->function);
}

int profile_tree_table(const struct profile_tree *tree, struct profile_row **ret_rows,
                       size_t *ret_n)
{
    struct profile_row *rows = calloc(tree->n_functions + 1, sizeof(*rows));
    size_t n = 0;

    if (!rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < tree->n_functions; i++)
        rows[i].function = i;
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        const struct profile_node *node = &tree->nodes[i];
        struct profile_row *row = &rows[node->function];

        row->self += node->self;
        row->self_value += node->self_value;
        if (profile_tree_is_outermost(tree, i)) {
            row->total += node->total;
            row->total_value += node->total_value;
        }
    }
    for (size_t i = 0; i < tree->n_functions; i++) /* those of no samples have no row */
        if (rows[i].total > 0)
            rows[n++] = rows[i];
    qsort(rows, n, sizeof(*rows), by_self);
    *ret_rows = rows;
    *ret_n = n;
    return 0;
}
