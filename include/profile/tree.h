/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A profile: a tree of functions with how many samples passed through them and ended in them. It
 * owns its names, and is independent of the store that it came from, so that another thread may
 * write it down. Nodes stand in one array: a parent before its children, node 0 being the root,
 * which stands for all samples.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/store.h"

#define PROFILE_NO_NODE UINT32_MAX

struct profile_node {
    uint32_t parent;                  /* of the root: PROFILE_NO_NODE */
    uint32_t function;                /* its place in `functions`; of the root: PROFILE_NO_NODE */
    uint64_t self;                    /* samples that ended here */
    uint64_t total;                   /* with those of its children */
    uint64_t self_value, total_value; /* what they stand for: ns of CPU time, or events */
};

/* Whether samples ended in it. Where they have different weights, less than half a sample is 0. */
static inline bool profile_node_has_own(const struct profile_node *node)
{
    return node->self > 0 || node->self_value > 0;
}

struct profile_function_name {
    enum profile_kind kind;
    char *owner, *name; /* clean UTF-8; in one block, which begins with the owner */
};

struct profile_tree {
    uint64_t from_ns, to_ns; /* CLOCK_REALTIME: the range that it has */
    unsigned rate_hz;        /* of its samples; 0: of several rates, or of an event */
    char *event;             /* owned: which one was recorded; NULL: values are CPU time */
    struct profile_node *nodes;
    size_t n_nodes;
    struct profile_function_name *functions; /* no two of the same kind, owner and name */
    size_t n_functions;
};

struct profile_tree *profile_tree_free(struct profile_tree *tree);
DEFINE_AUTO(profile_tree, struct profile_tree *, profile_tree_free)

/*
 * Makes a tree of at most so many nodes: those with the fewest samples go, from the leaves up, and
 * a node "(n small)" of kind PROFILE_NOTE stands for them below their parent. Totals stay. 0 or
 * -ENOMEM; then the tree is as it was.
 */
int profile_tree_prune(struct profile_tree *tree, size_t most_nodes);

/* Turns it around: callers become callees (for icicles of leaves, and for callers of a function).
 */
int profile_tree_invert(const struct profile_tree *tree, struct profile_tree **ret_tree);

/*
 * What is called by, and what calls, one function (sandwich): callees is the tree below it, callers
 * the inverted tree above it; both have the function as the only child of the root. Recursion is
 * counted once, at the outermost. -ENOENT: the profile has no such function.
 */
int profile_tree_callees(const struct profile_tree *tree, uint32_t function,
                         struct profile_tree **ret_tree);
int profile_tree_callers(const struct profile_tree *tree, uint32_t function,
                         struct profile_tree **ret_tree);

/* The functions of a profile: self and total samples, each sample once for each function. */
struct profile_row {
    uint32_t function;
    uint64_t self, total;
    uint64_t self_value, total_value;
};

/* Sorted by self, the most first. The caller frees *ret_rows. 0 or -ENOMEM. */
int profile_tree_table(const struct profile_tree *tree, struct profile_row **ret_rows,
                       size_t *ret_n);
