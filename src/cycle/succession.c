/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A collector is succeeded when the configuration has changed, when more can be counted than
 * before, or when CPUs have come or gone. The new one is made as if it were the first. Then each of
 * its targets that the old one counts too gets the old totals, and its groups that are the same get
 * the open counters with their bases. So nothing that goes on being counted loses a count, and all
 * else follows from the new configuration alone. What is new is opened before the old one reads
 * what it has left for the last time: a group that changed is counted by the one until the other
 * counts it. A cgroup for which there is no room any more rests: its totals stand, and it goes on
 * with them once there is room.
 */
#include "cycle/succession.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "cycle/description.h"
#include "cycle/entry_counters.h"
#include "cycle/latencies.h"
#include "cycle/open_processes.h"
#include "cycle/process_times.h"
#include "cycle/profiles.h"
#include "cycle/stages.h"
#include "sys/cgroup_root.h"
#include "sys/descriptors.h"

/* How often a target is read again that runs while its old and its new counters are read. */
#define MOST_ATTEMPTS 5

/* A reload does not keep the next cycle waiting for longer than this. */
#define HAND_OVER_TIME_NS NS_PER_SECOND

static void close_directories(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->cgroup)
            cgroup_target_close_fd(ledger->entries[i]->cgroup);
}

/* One that has gone meanwhile stays closed: the next update tells that it has gone. */
static void reopen_directories(struct ledger *ledger, int root_fd)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct cgroup_target *target = ledger->entries[i]->cgroup;
        int fd = target && target->fd < 0
                     ? descriptor_lift(cgroup_open_below(root_fd, target->path + 1))
                     : -1;

        if (fd >= 0)
            target->fd = fd;
    }
}

void succession_begin(struct succession *succession, struct collector *collector,
                      struct collector *predecessor)
{
    *succession = (struct succession){.collector = collector, .predecessor = predecessor};
    collector_status(predecessor, &collector->status);
    collector_describe(collector);
    collector->notices = notices_inherit(&predecessor->notices);
    if (collector->processes.targets)
        process_targets_succeed(collector->processes.targets, predecessor->processes.targets);
    close_directories(&predecessor->ledger);
}

void succession_give_up(struct succession *succession)
{
    reopen_directories(&succession->predecessor->ledger,
                       succession->predecessor->setup.cgroup_root_fd);
}

void succession_done(struct succession *succession)
{
    free(succession->cgroups);
    free(succession->from);
}

static int by_path(const void *a, const void *b)
{
    const struct entry *const *x = a, *const *y = b;

    return strcmp((*x)->cgroup->path, (*y)->cgroup->path);
}

/* Lists the living cgroups of the predecessor, by path. 0 or -ENOMEM. */
static int sort_cgroups(struct succession *succession)
{
    const struct ledger *ledger = &succession->predecessor->ledger;

    succession->cgroups = calloc(ledger->n_entries + 1, sizeof(struct entry *));
    if (!succession->cgroups)
        return -ENOMEM;
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->cgroup && ledger->entries[i]->account)
            succession->cgroups[succession->n_cgroups++] = ledger->entries[i];
    qsort(succession->cgroups, succession->n_cgroups, sizeof(struct entry *), by_path);
    return 0;
}

/*
 * Whether both are the machine, which has no labels, or the same CPU, whose label is its number, or
 * the same PMU in the same socket: its class has another place where the rules are others.
 */
static bool is_same_system(const struct entry *a, const struct entry *b)
{
    const bool is_same_class =
        a->uncore || b->uncore ? a->uncore && b->uncore : b->class_index == a->class_index;
    const struct label *labels;
    size_t n;

    if (!is_same_class || b->cgroup || b->path || b->group)
        return false;
    labels = identity_labels(a->identity, &n);
    return identity_has_labels(b->identity, labels, n);
}

/* The cgroup of the same path, if it is the same birth, counted or at rest. */
static struct entry *find_cgroup(const struct succession *succession, const struct entry *entry)
{
    struct entry *const *found = bsearch(&entry, succession->cgroups, succession->n_cgroups,
                                         sizeof(struct entry *), by_path);

    if (!found)
        return ledger_find_resting(&succession->predecessor->ledger, entry->cgroup);
    return (*found)->cgroup->inode == entry->cgroup->inode ? *found : NULL;
}

/* The group of processes of the same name, which has the same process where that matters. */
static struct entry *find_group(const struct succession *succession, const struct entry *entry)
{
    struct entry *other = ledger_find_group(&succession->predecessor->ledger, entry->group->name);

    return other && process_group_is_same(other->group, entry->group) ? other : NULL;
}

/* The predecessor's entry of the same target; NULL: it has none. */
static struct entry *find_counterpart(const struct succession *succession,
                                      const struct entry *entry)
{
    const struct ledger *from = &succession->predecessor->ledger;

    if (entry->cgroup)
        return find_cgroup(succession, entry);
    if (entry->group)
        return find_group(succession, entry);
    for (size_t i = 0; i < from->n_entries; i++)
        if (is_same_system(entry, from->entries[i]))
            return from->entries[i];
    return NULL;
}

/*
 * Gives counters to the machine and its CPUs, as discovery has given them to cgroups. Returns
 * -ENOMEM also if some target lacks what it would take over into, for want of memory.
 */
static int make_ready(struct collector *collector)
{
    const struct ledger *ledger = &collector->ledger;

    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[i];

        if (!entry->account || !collector_counts_entry(collector, entry))
            continue;
        if (!entry->cgroup && collector_make_counters(collector, entry) < 0)
            return -ENOMEM;
        if (!entry->counters)
            return -ENOMEM;
    }
    return 0;
}

/* Finds the old entry of each target, and makes ready what cannot fail later. 0 or -ENOMEM. */
static int prepare(struct succession *succession, const struct round *round)
{
    struct collector *collector = succession->collector;
    const struct ledger *ledger = &collector->ledger;
    int r = make_ready(collector);

    if (r >= 0)
        r = sort_cgroups(succession);
    succession->from = calloc(ledger->n_entries + 1, sizeof(struct entry *));
    if (!succession->from)
        return -ENOMEM;
    succession->n_from = ledger->n_entries;
    for (size_t i = 0; i < ledger->n_entries && r >= 0; i++) {
        const struct entry *entry = ledger->entries[i];
        struct entry *from = find_counterpart(succession, entry);

        succession->from[i] = from;
        if (entry->group && entry->account && from) {
            const struct process_opening opening = collector_opening(collector, round, entry);

            r = process_group_prepare(entry->group, from->group, &opening);
        }
    }
    return r;
}

static void adopt_counters(const struct collector *collector, struct entry *entry,
                           struct entry *from)
{
    const struct cpu_list *continuing = collector->cpus.continuing;

    collector_adopt_latencies(collector, entry, from);
    if (entry->cgroup && collector->setup.cgroups_afresh)
        return;
    if (entry->group)
        process_group_adopt(entry->group, from->group, continuing);
    else if (entry->counters && from->counters)
        counter_set_adopt(entry->counters, from->counters, continuing);
}

int succession_adopt_counters(struct succession *succession, const struct round *round,
                              const struct discovered *discovered)
{
    const struct collector *collector = succession->collector;
    struct mechanism *bpf = collector->setup.bpf;
    int r = discovered->n_given_back > 0 ? -ENOMEM : prepare(succession, round);

    if (r < 0)
        return r;
    for (size_t i = 0; i < succession->n_from; i++)
        if (succession->from[i])
            adopt_counters(collector, collector->ledger.entries[i], succession->from[i]);
    if (bpf)
        bpf->keep_cpus(bpf, collector->cpus.continuing);
    return 0;
}

/*
 * Whether a target goes on with new counters alone: those of another mechanism, or because its
 * groups have changed. The machine as a sum of its CPUs is read with all of them.
 */
static bool is_handed_over(const struct succession *succession, const struct entry *entry,
                           const struct entry *from)
{
    const struct collector *collector = succession->collector;
    const struct target_class *class = collector_class(collector, entry);
    const bool is_other = collector_mechanism(&collector->setup, class) !=
                          collector_mechanism(&succession->predecessor->setup, class);

    if (entry->group)
        return entry->account && from->account && entry_is_awake(from) &&
               (is_other || process_group_is_unread(entry->group));
    return entry->counters && from->counters &&
           (is_other || counter_set_is_unread(entry->counters)) &&
           !(collector->machine.is_sum && entry->class_index == CLASS_CPU);
}

/* Reads an entry once more. Returns true if its target has run since it was read before. */
static bool read_once_more(struct collector *collector, struct entry *entry, bool is_to_refresh)
{
    struct readings readings = {0}; /* a whole round of them follows */

    if (is_to_refresh)
        setup_refresh(&collector->setup);
    if (entry->group)
        collector_read_group(collector, entry, &readings);
    else
        collector_read_entry(collector, entry, &readings);
    return sample_has_run(collector_class(collector, entry)->sample);
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
static void read_together(const struct succession *succession, struct entry *entry,
                          struct entry *from)
{
    struct collector *const collector = succession->collector;
    struct collector *const predecessor = succession->predecessor;
    const enum scope_kind kind = collector_class(collector, entry)->kind;
    const bool is_shared = mechanism_is_shared(collector->setup.bpf, kind);
    const bool was_shared = mechanism_is_shared(predecessor->setup.bpf, kind);
    const bool was_refreshed = was_shared && !is_shared, is_refreshed = is_shared && !was_shared;

    (void)read_once_more(predecessor, from, was_refreshed);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        (void)read_once_more(collector, entry, is_refreshed);
        if (!read_once_more(predecessor, from, was_refreshed))
            return;
    }
    (void)read_once_more(collector, entry, is_refreshed);
}

/*
 * The last reading of the old counters and the first of the new ones are made together, of each
 * target that goes on with new ones alone: what is lost is what runs on another CPU between
 * two readings or two refreshes. Targets for which there is no time are read later, with all
 * others of the new collector, and lose what they count until then.
 */
static void hand_over(const struct succession *succession)
{
    const struct collector *collector = succession->collector;
    const struct mechanism *bpf = collector->setup.bpf;
    const struct mechanism *before = succession->predecessor->setup.bpf;
    const uint64_t end_ns = clock_monotonic_ns() + HAND_OVER_TIME_NS;

    if (bpf && before && bpf != before) {
        setup_refresh(&succession->predecessor->setup);
        setup_refresh(&collector->setup);
    }
    for (size_t i = 0; i < succession->n_from && clock_monotonic_ns() < end_ns; i++) {
        struct entry *entry = collector->ledger.entries[i];

        if (succession->from[i] && is_handed_over(succession, entry, succession->from[i]))
            read_together(succession, entry, succession->from[i]);
    }
}

static void adopt_totals(const struct succession *succession, struct entry *entry,
                         const struct entry *from)
{
    const struct collector *collector = succession->collector;

    if (!entry->account || !from->account)
        return;
    if (entry->group)
        process_times_adopt(entry->group, from->group, collector->cpus.online);
    account_adopt(entry->account, from->account);
    profile_adopt(collector, entry, succession->predecessor, from);
    entry->counted = from->counted;
}

void succession_adopt_totals(struct succession *succession)
{
    struct collector *collector = succession->collector, *predecessor = succession->predecessor;

    predecessor->readings = collector_read_and_derive(predecessor);
    for (size_t i = 0; i < succession->n_from; i++)
        if (succession->from[i])
            collector_hand_over_latencies(collector->ledger.entries[i], succession->from[i]);
    collector->machine.cpu_usage = predecessor->machine.cpu_usage;
    machine_domains_adopt(&collector->machine.each, &predecessor->machine.each);
    collector->cpu_times_missed = predecessor->cpu_times_missed;
    hand_over(succession);
    for (size_t i = 0; i < succession->n_from; i++)
        if (succession->from[i])
            adopt_totals(succession, collector->ledger.entries[i], succession->from[i]);
}

/* Keeps the totals of a cgroup if a rule still wants it: it lingers, or, where it lives, rests. */
static void keep_cgroup(struct collector *collector, const struct round *round,
                        const struct entry *from)
{
    const struct cgroup_rules *rules = collector->cgroups.rules;
    const char *path = from->cgroup ? from->cgroup->path : from->path;
    int rule = rules ? cgroup_rules_match(rules, path) : -1;

    if (rule >= 0)
        ledger_inherit(&collector->ledger, CLASS_CGROUP + (size_t)rule, from, round->now_ns);
}

static const char *template_of(const struct config_process_rule *rule)
{
    return rule->name.text ? rule->name.text : "";
}

/* The index of the rule that makes such names here; -1: there is none any more. */
static int find_rule(const struct config *config, const struct config_process_rule *rule)
{
    for (size_t i = 0; i < config->n_processes; i++)
        if (strcmp(template_of(&config->processes[i]), template_of(rule)) == 0)
            return (int)i;
    return -1;
}

/* A group that only the predecessor has rests here, if a rule still makes its name. */
static void keep_group(const struct succession *succession, const struct round *round,
                       const struct entry *from)
{
    struct collector *collector = succession->collector;
    const struct config *before = succession->predecessor->setup.config;
    struct entry *entry;
    int rule;

    if (!from->account || !from->counted ||
        ledger_find_group(&collector->ledger, from->group->name))
        return;
    rule = find_rule(collector->setup.config, &before->processes[from->group->rule]);
    if (rule >= 0)
        ledger_inherit_group(&collector->ledger,
                             collector->resolution->first_process + (size_t)rule, rule, from,
                             from->gone_ns ? from->gone_ns : round->now_ns);
    entry = rule >= 0 ? ledger_find_group(&collector->ledger, from->group->name) : NULL;
    if (entry)
        process_times_adopt(entry->group, from->group, collector->cpus.online);
}

void succession_adopt_ended(struct succession *succession, const struct round *round)
{
    struct collector *collector = succession->collector;
    const struct ledger *from = &succession->predecessor->ledger;

    collector_doubt_counters(collector); /* what was taken over has to show that it moves */
    /* The hash keeps the order of the ends, and where there is no room for all the last stay. */
    for (const struct entry *entry = from->lingering; entry; entry = entry->hh.next)
        if (entry->group)
            keep_group(succession, round, entry);
        else
            keep_cgroup(collector, round, entry);
    /* What has no room here, or ended between the two discoveries, has lived for the old one only.
     */
    for (size_t i = 0; i < succession->n_cgroups; i++)
        if (succession->cgroups[i]->counted)
            keep_cgroup(collector, round, succession->cgroups[i]);
    for (size_t i = 0; i < from->n_entries; i++)
        if (entry_is_awake(from->entries[i]))
            keep_group(succession, round, from->entries[i]);
}
