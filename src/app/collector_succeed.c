/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How one collector takes over from another: the configuration has changed, or more
 * can be counted than before. The new one is made as if it were the first; then each
 * of its targets that the old one counts too gets the old totals, and its groups that
 * are the same get the open counters with their bases. So nothing that goes on being
 * counted loses a count, and all else follows from the new configuration alone.
 */
#include <errno.h>

#include "app/collector_state.h"

static int by_path(const void *a, const void *b)
{
    const struct entry *const *x = a, *const *y = b;

    return strcmp((*x)->cgroup->path, (*y)->cgroup->path);
}

/* The living cgroups of a ledger, by path; NULL if there is no memory. The caller frees. */
static struct entry **sort_cgroups(const struct ledger *ledger, size_t *ret_n)
{
    struct entry **sorted = calloc(ledger->n_entries + 1, sizeof(*sorted));
    size_t n = 0;

    if (!sorted)
        return NULL;
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->cgroup && ledger->entries[i]->account)
            sorted[n++] = ledger->entries[i];
    qsort(sorted, n, sizeof(struct entry *), by_path);
    *ret_n = n;
    return sorted;
}

static void take_over(struct collector *collector, struct entry *entry, struct entry *from)
{
    if (!entry->account || !from->account)
        return;
    account_adopt(entry->account, from->account);
    entry->counted = from->counted;
    if (!entry->counters || !from->counters)
        return;
    counter_set_adopt(entry->counters, from->counters);
    collector->may_open = true;
}

static void take_over_cgroup(struct collector *collector, struct entry *entry,
                             struct entry *const *sorted, size_t n)
{
    struct entry *const *found = bsearch(&entry, sorted, n, sizeof(struct entry *), by_path);

    if (found && (*found)->cgroup->inode == entry->cgroup->inode)
        take_over(collector, entry, *found);
}

/* The same CPU, or the machine: told by the labels, which are none or the CPU's number. */
static bool is_same_system(const struct entry *a, const struct entry *b)
{
    size_t n_a, n_b;
    const struct label *labels_a, *labels_b;

    if (!b->identity || b->path || a->class_index != b->class_index)
        return false;
    labels_a = identity_labels(a->identity, &n_a);
    labels_b = identity_labels(b->identity, &n_b);
    return n_a == n_b && (n_a == 0 || strcmp(labels_a[0].value, labels_b[0].value) == 0);
}

static void take_over_system(struct collector *collector, struct entry *entry,
                             const struct ledger *from)
{
    for (size_t i = 0; i < from->n_entries; i++)
        if (is_same_system(entry, from->entries[i]))
            take_over(collector, entry, from->entries[i]);
}

/* What lingers there lingers here, where a rule still wants it. The hash keeps its order. */
static void inherit_lingering(struct collector *collector, const struct ledger *from)
{
    for (const struct entry *entry = from->lingering; entry; entry = entry->hh.next) {
        int rule = collector->rules ? cgroup_rules_match(collector->rules, entry->path) : -1;

        if (rule >= 0)
            ledger_inherit(&collector->ledger, CLASS_CGROUP + (size_t)rule, entry);
    }
}

int collector_succeed(struct collector *collector, struct collector *predecessor)
{
    const struct ledger *from = &predecessor->ledger;
    size_t n;
    AUTO_FREE struct entry **sorted = sort_cgroups(from, &n);
    size_t n_entries = collector->ledger.n_entries;

    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (entry->cgroup)
            take_over_cgroup(collector, entry, sorted, n);
        else
            take_over_system(collector, entry, from);
    }
    inherit_lingering(collector, from);
    return 0;
}
