/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Chooses which nodes of a tree are kept where there is no room for all: those with the most
 * samples. Who stands above a node has at least as many, so what is kept is a tree again. For what
 * is cut below a node it needs one node more, so some more than asked for are cut.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * parents: of the nodes, each before its children; node 0 is the root, which is kept. weights: of a
 * node with all below it; those of weight 0 are cut. most: nodes that are kept and those that stand
 * for what was cut, together; at least 2. ret_kept has room for n. 0 or -ENOMEM.
 */
int kept_nodes_choose(const uint32_t *parents, const uint64_t *weights, size_t n, size_t most,
                      bool *ret_kept);
