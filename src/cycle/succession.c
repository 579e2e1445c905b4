/* SPDX-License-Identifier: Apache-2.0 */

/*
 * How one collector takes over from another: the configuration has changed, or more
 * can be counted than before, or CPUs have come or gone. The new one is made as if it were the
 * first; then each of its targets that the old one counts too gets the old totals, and its groups
 * that are the same get the open counters with their bases. So nothing that goes on being counted
 * loses a count, and all else follows from the new configuration alone. A cgroup for which there is
 * no room any more rests: its totals stand, and it goes on with them once there is room.
 */
#include <errno.h>

#include "base/clock.h"
#include "cycle/stages.h"

/* How often a target is read again that runs while its old and its new counters are read. */
#define MOST_ATTEMPTS 5

/* A reload does not keep the next cycle waiting for longer than this. */
#define HAND_OVER_TIME_NS NS_PER_SECOND

struct hand_over {
    struct collector *collector, *predecessor;
};

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

/* The same CPU, or the machine: told by the labels, which are none or the CPU's number. */
static bool is_same_system(const struct entry *a, const struct entry *b)
{
    size_t n_a, n_b;
    const struct label *labels_a, *labels_b;

    if (b->class_index != a->class_index || b->cgroup || b->path || b->group)
        return false;
    labels_a = identity_labels(a->identity, &n_a);
    labels_b = identity_labels(b->identity, &n_b);
    return n_a == n_b && (n_a == 0 || strcmp(labels_a[0].value, labels_b[0].value) == 0);
}

static struct entry *same_group(const struct entry *entry, const struct ledger *from)
{
    struct entry *other = collector_same_group(from, entry);

    return other && process_group_is_same(other->group, entry->group) ? other : NULL;
}

/* The old entry of the same target; NULL: there is none. */
static struct entry *counterpart(const struct entry *entry, const struct ledger *from,
                                 struct entry *const *sorted, size_t n)
{
    struct entry *const *found;

    if (entry->cgroup) {
        found = bsearch(&entry, sorted, n, sizeof(struct entry *), by_path);
        if (!found)
            return ledger_find_resting(from, entry->cgroup);
        return (*found)->cgroup->inode == entry->cgroup->inode ? *found : NULL;
    }
    if (entry->group)
        return same_group(entry, from);
    for (size_t i = 0; i < from->n_entries; i++)
        if (is_same_system(entry, from->entries[i]))
            return from->entries[i];
    return NULL;
}

/* Whether every target has what it would take over into: else memory has run out. */
static bool is_ready(const struct collector *collector)
{
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];

        if (entry->account && !entry->counters && !entry->group && entry != collector->machine)
            return false;
    }
    return !collector->orphans && !collector->process_orphans;
}

static int make_system_counters(struct collector *collector)
{
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        struct entry *entry = collector->ledger.entries[i];
        int r = 0;

        if (!entry->cgroup && !entry->group && entry->account && entry != collector->machine)
            r = collector_make_counters(collector, entry);
        if (r < 0)
            return r;
    }
    return 0;
}

/* If a rule still wants it, what has ended there lingers here, and what is not counted here rests.
 */
static void inherit(struct collector *collector, const struct entry *from)
{
    const char *path = from->cgroup ? from->cgroup->path : from->path;
    int rule = collector->rules ? cgroup_rules_match(collector->rules, path) : -1;

    if (rule >= 0)
        ledger_inherit(&collector->ledger, CLASS_CGROUP + (size_t)rule, from, collector->now_ns);
}

static void inherit_ended(struct collector *collector, const struct collector *predecessor,
                          struct entry *const *sorted, size_t n)
{
    const struct ledger *from = &predecessor->ledger;

    /* The hash keeps the order of the ends, and where there is no room for all the last stay. */
    for (const struct entry *entry = from->lingering; entry; entry = entry->hh.next)
        if (entry->group)
            collector_inherit_group(collector, predecessor, entry);
        else
            inherit(collector, entry);
    /* One that has no room here, or ended between the two looks, lives for the old one only. */
    for (size_t i = 0; i < n; i++)
        if (sorted[i]->counted)
            inherit(collector, sorted[i]);
    for (size_t i = 0; i < from->n_entries; i++)
        if (from->entries[i]->group && !from->entries[i]->gone_ns)
            collector_inherit_group(collector, predecessor, from->entries[i]);
}

/* Finds the old entry of each target, and makes ready what cannot fail later. 0 or -ENOMEM. */
static int prepare(struct collector *collector, const struct collector *predecessor,
                   struct entry *const *sorted, size_t n, struct entry **from)
{
    const struct ledger *ledger = &collector->ledger;
    int r = make_system_counters(collector);

    if (r < 0 || !is_ready(collector))
        return -ENOMEM;
    for (size_t i = 0; i < ledger->n_entries && r >= 0; i++) {
        const struct entry *entry = ledger->entries[i];

        from[i] = counterpart(entry, &predecessor->ledger, sorted, n);
        if (entry->group && entry->account && from[i]) {
            const struct process_opening opening = collector_opening(collector, entry);

            r = process_group_prepare(entry->group, from[i]->group, &opening);
        }
    }
    return r;
}

static void adopt_counters(const struct collector *collector, const struct entry *entry,
                           const struct entry *from)
{
    if (entry->cgroup && collector->setup.cgroups_afresh)
        return;
    if (entry->group)
        process_group_adopt(entry->group, from->group, collector->continuing_cpus);
    else if (entry->counters && from->counters)
        counter_set_adopt(entry->counters, from->counters, collector->continuing_cpus);
}

static void adopt_totals(struct entry *entry, const struct entry *from)
{
    if (!entry->account || !from->account)
        return;
    account_adopt(entry->account, from->account);
    entry->counted = from->counted;
}

/*
 * Whether a target goes on with counters of another mechanism, so that it took over none. The
 * machine as a sum of its CPUs is read with all of them.
 */
static bool is_handed_over(const struct hand_over *over, const struct entry *entry,
                           const struct entry *from)
{
    const enum scope_kind kind = over->collector->resolution->classes[entry->class_index].kind;

    if (collector_mechanism(over->collector, kind) == collector_mechanism(over->predecessor, kind))
        return false;
    if (entry->group)
        return entry->account && from->account;
    return entry->counters && from->counters &&
           !(over->collector->machine && entry->class_index == CLASS_CPU);
}

/* Reads an entry once more. Returns true if its target has run since it was read before. */
static bool read_once_more(struct collector *collector, struct entry *entry, bool is_to_refresh)
{
    if (is_to_refresh)
        collector_refresh(collector);
    if (entry->group)
        collector_read_group(collector, entry);
    else
        collector_read_entry(collector, entry);
    return sample_has_run(collector->resolution->classes[entry->class_index].sample);
}

/*
 * Reads the same target by its old counters and by its new ones. If it runs between the two
 * readings (the collector itself may have to wait for its CPU there), then neither counts that
 * time. So the old ones are read again, and both again if these have moved. The system always
 * moves; for it, and for a target that runs without a pause, the last attempt stands.
 *
 * Perf events are read as of now, and a program as of its last refresh, so where one follows the
 * other the program is refreshed before each reading. Two programs charge at the same switches and
 * need no more than the refresh before.
 */
static void read_together(const struct hand_over *over, struct entry *entry, struct entry *from)
{
    const enum scope_kind kind = over->collector->resolution->classes[entry->class_index].kind;
    const bool is_shared = collector_shares(over->collector, kind);
    const bool was_shared = collector_shares(over->predecessor, kind);
    const bool was_refreshed = was_shared && !is_shared, is_refreshed = is_shared && !was_shared;

    (void)read_once_more(over->predecessor, from, was_refreshed);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        (void)read_once_more(over->collector, entry, is_refreshed);
        if (!read_once_more(over->predecessor, from, was_refreshed))
            return;
    }
    (void)read_once_more(over->collector, entry, is_refreshed);
}

/*
 * The last reading of the old counters and the first of the new ones are made together, of each
 * target that goes on with another mechanism: what is lost is what runs on another CPU between
 * two readings or two refreshes. Targets for which there is no time are read later, with all
 * others of the new collector, and lose what they count until then.
 */
static void hand_over(const struct hand_over *over, struct entry *const *from, size_t n_entries)
{
    const struct mechanism *bpf = over->collector->setup.bpf;
    const struct mechanism *before = over->predecessor->setup.bpf;
    const uint64_t end_ns = clock_monotonic_ns() + HAND_OVER_TIME_NS;

    if (bpf && before && bpf != before) {
        collector_refresh(over->predecessor);
        collector_refresh(over->collector);
    }
    for (size_t i = 0; i < n_entries && clock_monotonic_ns() < end_ns; i++) {
        struct entry *entry = over->collector->ledger.entries[i];

        if (from[i] && is_handed_over(over, entry, from[i]))
            read_together(over, entry, from[i]);
    }
}

/*
 * Open counters first, then what is new is opened; the old collector reads what it
 * has left, for the last time; then its totals go over. So a group that changed is
 * counted by the one until the other counts it.
 */
int collector_succeed(struct collector *collector, struct collector *predecessor)
{
    struct ledger *ledger = &collector->ledger;
    const size_t n_entries = ledger->n_entries;
    size_t n = 0;
    AUTO_FREE struct entry **sorted = sort_cgroups(&predecessor->ledger, &n);
    AUTO_FREE struct entry **from = calloc(n_entries + 1, sizeof(*from));

    if (!sorted || !from || prepare(collector, predecessor, sorted, n, from) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < n_entries; i++)
        if (from[i])
            adopt_counters(collector, ledger->entries[i], from[i]);
    if (collector->setup.bpf)
        collector->setup.bpf->keep_cpus(collector->setup.bpf, collector->continuing_cpus);
    (void)collector_open(collector); /* what fails is tried again in the cycle */
    collector_read(predecessor);
    collector->cpu_usage = predecessor->cpu_usage;
    hand_over(&(struct hand_over){collector, predecessor}, from, n_entries);
    for (size_t i = 0; i < n_entries; i++)
        if (from[i])
            adopt_totals(ledger->entries[i], from[i]);
    collector_read(collector);
    collector_doubt_counters(collector); /* what was taken over has to show that it moves */
    inherit_ended(collector, predecessor, sorted, n);
    return 0;
}
