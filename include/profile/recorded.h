/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a recording has sampled: a profile whose samples stand for different numbers of events, as
 * those of an event do whose period the kernel adapts to its rate. It has no times.
 *
 * It takes its functions from the store, which keeps them for it, and belongs to the same thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/store.h"
#include "profile/tree.h"

struct recorded;

/*
 * most_nodes: so many stacks it tells apart, each with those above it; what comes later ends in
 * "(folded)". The store has one recording at a time, and must live as long. NULL: no memory.
 */
struct recorded *recorded_new(struct profile_store *store, size_t most_nodes);
struct recorded *recorded_free(struct recorded *recorded);
DEFINE_AUTO(recorded, struct recorded *, recorded_free)

/* Adds a sample that stands for so many events. */
void recorded_add(struct recorded *recorded, const struct profile_stack *stack, uint64_t period);

/* How many samples were added. */
uint64_t recorded_samples(const struct recorded *recorded);

/* Which functions of the store it has: [function], for all below *ret_n. The caller frees it. NULL:
 * no memory. */
bool *recorded_functions(const struct recorded *recorded, size_t *ret_n);

/*
 * Makes a tree of it, whose values are events. Its numbers of samples are such as tell how sure a
 * share is: W^2 / S samples of equal weight, W being the sum of all periods and S that of their
 * squares (Kish's effective sample size), shared out by events. Where all samples have the same
 * period they are the samples themselves. 0 or -ENOMEM.
 */
int recorded_tree(const struct recorded *recorded, struct profile_tree **ret_tree);
