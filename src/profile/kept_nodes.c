/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/kept_nodes.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

struct ranked {
    uint64_t weight;
    uint32_t node;
};

/* The heaviest first; of the same weight a parent before its children. */
static int by_weight(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (left->weight != right->weight)
        return left->weight < right->weight ? 1 : -1;
    return (left->node > right->node) - (left->node < right->node);
}

static void keep_first(const struct ranked *ranked, size_t n, size_t n_kept, bool *ret_kept)
{
    memset(ret_kept, 0, n * sizeof(*ret_kept));
    for (size_t i = 0; i < n_kept; i++)
        ret_kept[ranked[i].node] = true;
}

/* Below how many nodes something is cut. `is_counted` has room for n. */
static size_t count_cuts(const uint32_t *parents, const bool *kept, size_t n, bool *is_counted)
{
    size_t n_cuts = 0;

    memset(is_counted, 0, n * sizeof(*is_counted));
    for (size_t i = 1; i < n; i++) {
        const uint32_t parent = parents[i];

        if (kept[i] || !kept[parent] || is_counted[parent])
            continue;
        is_counted[parent] = true;
        n_cuts++;
    }
    return n_cuts;
}

static size_t count_weighty(const struct ranked *ranked, size_t n)
{
    size_t n_weighty = 1;

    while (n_weighty < n && ranked[n_weighty].weight > 0)
        n_weighty++;
    return n_weighty;
}

int kept_nodes_choose(const uint32_t *parents, const uint64_t *weights, size_t n, size_t most,
                      bool *ret_kept)
{
    AUTO_FREE struct ranked *ranked = calloc(n, sizeof(*ranked));
    AUTO_FREE bool *is_counted = calloc(n, sizeof(*is_counted));
    size_t n_kept, n_cuts;

    if (!ranked || !is_counted)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){i == 0 ? UINT64_MAX : weights[i], (uint32_t)i};
    qsort(ranked, n, sizeof(*ranked), by_weight);
    n_kept = count_weighty(ranked, n);
    n_kept = n_kept < most ? n_kept : most;
    for (;;) {
        keep_first(ranked, n, n_kept, ret_kept);
        n_cuts = count_cuts(parents, ret_kept, n, is_counted);
        if (n_kept == 1 || n_kept + n_cuts <= most)
            return 0;
        n_kept -= (n_kept + n_cuts - most + 1) / 2 < n_kept ? (n_kept + n_cuts - most + 1) / 2 : 1;
    }
}
