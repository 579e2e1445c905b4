/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Two profiles side by side: one tree with the samples of both. Numbers of samples are counts, so
 * of two profiles of one program they differ by chance: the difference of a / A and b / B has the
 * variance a / A^2 + b / B^2, and shares, as parts of a whole, have less. A node differs if the
 * change is beyond three standard deviations, and beyond what is to be expected among so many nodes
 * by chance alone: the bound grows with the number of nodes that are compared, so that of twenty
 * comparisons of a program with itself nineteen show no difference at all. Nodes with fewer than
 * ten samples, both sides together, are not compared, and do not count.
 *
 * This takes samples for independent. A profile of seconds, in which a program did one thing after
 * the other, has fewer independent samples than it has samples.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/tree.h"

/* What is compared. */
enum difference_measure {
    DIFFERENCE_OF_SHARES, /* of all samples of each */
    DIFFERENCE_OF_TIME,   /* CPU seconds per second of each, by the ranges that the trees have */
};

struct difference_node {
    uint32_t parent, function;  /* as in a tree */
    uint64_t self[2], total[2]; /* samples, before and after */
    uint64_t self_value[2], total_value[2];
    double change; /* of `total`, after - before, in what is compared */
    double sigma;  /* its standard deviation */
    bool differs;  /* beyond chance, as above */
};

struct difference_row { /* of a function: as struct profile_row */
    uint32_t function;
    uint64_t self[2], total[2];
    double change, sigma; /* of self */
    bool differs;
};

struct difference {
    uint64_t from_ns[2], to_ns[2];
    uint64_t samples[2];
    char *event; /* owned: of both, as in a tree */
    enum difference_measure measure;
    double bound;                  /* standard deviations beyond which a node differs: at least 3 */
    struct difference_node *nodes; /* as in a tree: a parent before its children */
    size_t n_nodes;
    struct difference_row *rows; /* by the size of the change, the greatest first */
    size_t n_rows;
    struct profile_function_name *functions;
    size_t n_functions;
};

/* Both are of the same event. 0 or -ENOMEM. Nothing of the trees is borrowed. */
int difference_new(const struct profile_tree *before, const struct profile_tree *after,
                   enum difference_measure measure, struct difference **ret_difference);
struct difference *difference_free(struct difference *difference);
DEFINE_AUTO(difference, struct difference *, difference_free)

/*
 * As profile_tree_prune(), by the samples of both. Trees that are compared are whole: what is small
 * in one of them is not so in the other one. Rows and the bound stay; what stands for several nodes
 * never differs. 0 or -ENOMEM; then it is as it was.
 */
int difference_prune(struct difference *difference, size_t most_nodes);
