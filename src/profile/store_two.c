/* SPDX-License-Identifier: Apache-2.0 */

/* Two ranges that are compared: what is in both would not differ, and would be counted twice. */
#include <errno.h>

#include "profile/store_parts.h"
#include "profile/tree.h"

/* What a time is widened to, where samples are not kept one by one any more. */
static uint64_t unit_at(const struct profile_store *store, uint64_t time_ns)
{
    return time_ns < store->minutes_from * MINUTE_NS ? 60 * MINUTE_NS : MINUTE_NS;
}

/* Collects a range anew, and keeps what is there if nothing would be left of it. */
static int collect_part(const struct profile_store *store, const struct profile_range *part,
                        struct profile_tree **tree)
{
    struct profile_tree *collected;
    int r;

    if (part->from_ns >= part->to_ns)
        return 0;
    r = profile_store_collect(store, part, &collected);
    if (r < 0)
        return r;
    (void)profile_tree_free(*tree);
    *tree = collected;
    return 0;
}

/*
 * What lies between two ranges, as a change that they are to be compared around, is within a minute
 * or hour that both have been widened to. It is left out of both where something is left of them.
 * first: the one that is earlier.
 */
static int separate_two(const struct profile_store *store, const struct profile_range *first,
                        const struct profile_range *second, struct profile_tree **tree_first,
                        struct profile_tree **tree_second)
{
    struct profile_range part;
    int r = 0;

    if ((*tree_first)->to_ns > first->to_ns) {
        part = *first;
        part.to_ns -= part.to_ns % unit_at(store, part.to_ns);
        r = collect_part(store, &part, tree_first);
    }
    if (r >= 0 && (*tree_second)->from_ns < second->from_ns) {
        const uint64_t unit_ns = unit_at(store, second->from_ns);

        part = *second;
        part.from_ns = (part.from_ns + unit_ns - 1) / unit_ns * unit_ns;
        r = collect_part(store, &part, tree_second);
    }
    if (r < 0)
        return r;
    return (*tree_first)->to_ns > (*tree_second)->from_ns ? -EDOM : 0;
}

static int separate(const struct profile_store *store, const struct profile_range *before,
                    const struct profile_range *after, struct profile_tree **tree_before,
                    struct profile_tree **tree_after)
{
    if (before->to_ns <= after->from_ns)
        return separate_two(store, before, after, tree_before, tree_after);
    if (after->to_ns <= before->from_ns)
        return separate_two(store, after, before, tree_after, tree_before);
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
    *ret_before = TAKE(tree_before);
    *ret_after = TAKE(tree_after);
    return 0;
}
