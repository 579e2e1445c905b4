/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/tree.h"

#include <stdlib.h>

struct profile_tree *profile_tree_free(struct profile_tree *tree)
{
    if (!tree)
        return NULL;
    for (size_t i = 0; i < tree->n_functions; i++)
        free(tree->functions[i].owner);
    free(tree->functions);
    free(tree->nodes);
    free(tree->event);
    free(tree);
    return NULL;
}
