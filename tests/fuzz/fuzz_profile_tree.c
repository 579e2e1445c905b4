/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What runs have recorded, as it is kept: whatever the bytes, they are refused, or the tree of them
 * is whole, can be worked with, and is the same when it was written and read again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fuzz/fuzz.h"
#include "profile/tree.h"
#include "profile/tree_pack.h"

static void check_nodes(const struct profile_tree *tree)
{
    uint64_t samples = 0, values = 0;

    FUZZ_CHECK(tree->n_nodes > 0 && tree->nodes[0].parent == PROFILE_NO_NODE);
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const struct profile_node *node = &tree->nodes[i];

        FUZZ_CHECK(i == 0 || (node->parent < i && node->function < tree->n_functions));
        samples += node->self;
        values += node->self_value;
    }
    FUZZ_CHECK(samples == tree->nodes[0].total && values == tree->nodes[0].total_value);
}

static void work_with(struct profile_tree *tree)
{
    AUTO(profile_tree) struct profile_tree *inverted = NULL, *callers = NULL, *callees = NULL;
    AUTO_FREE struct profile_row *rows = NULL;
    size_t n;

    FUZZ_CHECK(profile_tree_table(tree, &rows, &n) == 0);
    FUZZ_CHECK(profile_tree_invert(tree, &inverted) == 0);
    check_nodes(inverted);
    FUZZ_CHECK(inverted->nodes[0].total == tree->nodes[0].total);
    if (n > 0) {
        FUZZ_CHECK(profile_tree_callers(tree, rows[0].function, &callers) == 0);
        FUZZ_CHECK(profile_tree_callees(tree, rows[0].function, &callees) == 0);
    }
    FUZZ_CHECK(profile_tree_prune(tree, 3) == 0);
    check_nodes(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(profile_tree) struct profile_tree *tree = NULL, *again = NULL;
    AUTO_TEXT struct text once = {0}, twice = {0};

    if (profile_tree_unpack(data, size, &tree) < 0) {
        FUZZ_CHECK(tree == NULL);
        return 0;
    }
    check_nodes(tree);
    FUZZ_CHECK(profile_tree_pack(tree, &once) == 0);
    FUZZ_CHECK(profile_tree_unpack(once.data, once.length, &again) == 0);
    FUZZ_CHECK(profile_tree_pack(again, &twice) == 0);
    FUZZ_CHECK(once.length == twice.length && memcmp(once.data, twice.data, once.length) == 0);
    work_with(tree);
    return 0;
}
