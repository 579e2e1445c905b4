/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Makes a tree: stacks are added in any order, and those of the same functions become one. The
 * first allocation that fails is remembered, so that one asks at the end.
 */

#include <stdbool.h>

#include "profile/name_table.h"
#include "profile/tree.h"
#include "profile/trie.h"

struct tree_tally {
    uint64_t self, self_value;
};

struct tree_builder {
    struct trie trie; /* its functions are those of `names` */
    struct name_table names;
    struct tree_tally *tallies; /* [node] */
    size_t capacity;
    bool failed;
};

void tree_builder_init(struct tree_builder *builder);
void tree_builder_done(struct tree_builder *builder);
#define AUTO_TREE_BUILDER __attribute__((cleanup(tree_builder_done)))

/* The number of a function. */
uint32_t tree_builder_function(struct tree_builder *builder,
                               const struct profile_function_name *function);

/* The child of a node; where memory has failed, the node itself. */
uint32_t tree_builder_child(struct tree_builder *builder, uint32_t parent, uint32_t function);

void tree_builder_add(struct tree_builder *builder, uint32_t node, uint64_t samples,
                      uint64_t value);

/*
 * Makes the tree, with the range, the rate and the event of `like`. 0 or -ENOMEM; the builder is
 * empty afterwards.
 */
int tree_builder_finish(struct tree_builder *builder, const struct profile_tree *like,
                        struct profile_tree **ret_tree);

/*
 * Functions of one tree in a builder that has those of others too: numbers[function of the tree].
 * The caller frees it. NULL: no memory.
 */
uint32_t *tree_builder_functions(struct tree_builder *builder, const struct profile_tree *tree);
