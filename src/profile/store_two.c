/* SPDX-License-Identifier: Apache-2.0 */

/* Two ranges that are compared: what is in both would not differ, and would be counted twice. */
#include <errno.h>

#include "profile/store_parts.h"
#include "profile/tree.h"

/*
 * Collects a range anew, up to the minute in which a later one begins. Where that one is of whole
 * minutes or hours it begins with one, so that nothing is widened into it.
 */
static int collect_until(const struct profile_store *store, const struct profile_range *range,
                         const struct profile_tree *later, struct profile_tree **tree)
{
    struct profile_range until = *range;

    until.to_ns = later->from_ns - later->from_ns % MINUTE_NS;
    *tree = profile_tree_free(*tree);
    if (until.from_ns >= until.to_ns)
        return -EDOM;
    return profile_store_collect(store, &until, tree);
}

static int separate(const struct profile_store *store, const struct profile_range *before,
                    const struct profile_range *after, struct profile_tree **tree_before,
                    struct profile_tree **tree_after)
{
    if (before->to_ns <= after->from_ns && (*tree_before)->to_ns > (*tree_after)->from_ns)
        return collect_until(store, before, *tree_after, tree_before);
    if (after->to_ns <= before->from_ns && (*tree_after)->to_ns > (*tree_before)->from_ns)
        return collect_until(store, after, *tree_before, tree_after);
    return 0;
}

int profile_store_collect_two(const struct profile_store *store, const struct profile_range *before,
                              const struct profile_range *after, struct profile_tree **ret_before,
                              struct profile_tree **ret_after,
                              const struct profile_range **ret_none)
{
    AUTO(profile_tree) struct profile_tree *tree_before = NULL;
    AUTO(profile_tree) struct profile_tree *tree_after = NULL;
    int r = profile_store_collect(store, before, &tree_before);

    *ret_none = before;
    if (r < 0)
        return r;
    *ret_none = after;
    r = profile_store_collect(store, after, &tree_after);
    if (r >= 0)
        r = separate(store, before, after, &tree_before, &tree_after);
    if (r < 0)
        return r;
    *ret_before = tree_before;
    *ret_after = tree_after;
    tree_before = tree_after = NULL;
    return 0;
}
