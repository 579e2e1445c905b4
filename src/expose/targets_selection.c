/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/targets_selection.h"

#include <string.h>

bool targets_selection_names(const struct targets_selection *selection, const char *family,
                             const char *ending)
{
    const size_t length = strlen(family);

    for (size_t i = 0; i < selection->n_columns; i++)
        if (strncmp(selection->columns[i], family, length) == 0 &&
            strcmp(selection->columns[i] + length, ending) == 0)
            return true;
    return false;
}

bool targets_selection_has(const struct targets_selection *selection, const char *prefix,
                           const struct identity *identity)
{
    size_t n;
    const struct label *labels = identity_labels(identity, &n);

    for (size_t i = 0; i < selection->n_targets; i++)
        if (target_filter_matches(&selection->targets[i], prefix, labels, n))
            return true;
    return selection->n_targets == 0;
}
