/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The array is sorted by path, with the slash before all other bytes, so that each cgroup is
 * followed by those below it. Then three passes suffice: one finds the nearest ancestor of each in
 * the array, one from the end sums up what is held below, and one from the front decides.
 */
#include "target/cgroup_nesting.h"

#include <string.h>

#define NO_PARENT SIZE_MAX

/* Where a byte comes in the order: the end first, then the slash, then all others. */
static int rank(char byte)
{
    return byte == '/' ? 1 : byte ? (unsigned char)byte + 2 : 0;
}

static int by_path(const void *a, const void *b)
{
    const char *x = ((const struct nested_cgroup *)a)->path;
    const char *y = ((const struct nested_cgroup *)b)->path;

    while (*x && *x == *y) {
        x++;
        y++;
    }
    return rank(*x) - rank(*y);
}

static bool is_below(const char *path, const char *ancestor)
{
    size_t length = strlen(ancestor);

    if (length == 1) /* the root */
        return true;
    return strncmp(path, ancestor, length) == 0 && path[length] == '/';
}

static size_t held(const struct nested_cgroup *cgroup)
{
    return cgroup->holds ? cgroup->counters : 0;
}

static void find_parents(struct nested_cgroup *cgroups, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t parent = i > 0 ? i - 1 : NO_PARENT;

        while (parent != NO_PARENT && !is_below(cgroups[i].path, cgroups[parent].path))
            parent = cgroups[parent].parent;
        cgroups[i].parent = parent;
    }
}

static void sum_below(struct nested_cgroup *cgroups, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cgroups[i].below = 0;
    for (size_t i = n; i-- > 0;) {
        size_t sum = cgroups[i].below + held(&cgroups[i]), parent = cgroups[i].parent;

        if (parent != NO_PARENT && sum > cgroups[parent].below)
            cgroups[parent].below = sum;
    }
}

size_t cgroup_nesting_admit(struct nested_cgroup *cgroups, size_t n, size_t budget)
{
    size_t longest = 0;

    if (n > 0)
        qsort(cgroups, n, sizeof(*cgroups), by_path);
    find_parents(cgroups, n);
    sum_below(cgroups, n);
    for (size_t i = 0; i < n; i++) {
        struct nested_cgroup *cgroup = &cgroups[i], *parent = cgroups + cgroup->parent;

        cgroup->above = cgroup->parent == NO_PARENT ? 0 : parent->above + held(parent);
        if (!cgroup->holds)
            cgroup->holds = cgroup->above + cgroup->counters + cgroup->below <= budget;
        if (cgroup->above + held(cgroup) > longest)
            longest = cgroup->above + held(cgroup);
    }
    return longest;
}
