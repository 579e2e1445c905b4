/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recursion: a function that calls itself, be it by way of others, is counted where it began. */

#include <stdbool.h>

#include "profile/tree.h"

/* Whether no node above this one has its function. */
static inline bool profile_tree_is_outermost(const struct profile_tree *tree, uint32_t node)
{
    const uint32_t function = tree->nodes[node].function;

    for (uint32_t above = tree->nodes[node].parent; above != PROFILE_NO_NODE;
         above = tree->nodes[above].parent)
        if (tree->nodes[above].function == function)
            return false;
    return true;
}
