/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the cycle does for processes, stage by stage: discover, open, read. An entry of the
 * ledger is a group of processes; its members come and go below it.
 */
#include "cycle/stages.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/share.h"
#include "config/config_processes.h"
#include "cycle/process_member.h"

/* Opening may be slow: what is not open after this time waits for the next cycle. */
#define OPEN_TIME_NS (NS_PER_SECOND / 4)

/* The same between cycles, the next of which must not be late for it. */
#define FOLLOW_TIME_NS (NS_PER_SECOND / 50)

/* A group that has, or may get, members. */
static bool is_awake(const struct entry *entry)
{
    return entry->group && !entry->gone_ns;
}

/* discover */

/* Those without members make room for others; removing one moves the last into its place. */
static void rest_groups(struct collector *collector)
{
    struct ledger *ledger = &collector->ledger;

    for (size_t i = ledger->n_entries; i-- > 0;)
        if (is_awake(ledger->entries[i]) && !ledger->entries[i]->group->members)
            ledger_rest(ledger, ledger->entries[i], collector->now_ns);
}

static struct entry *find_group(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (is_awake(ledger->entries[i]) && strcmp(ledger->entries[i]->group->name, name) == 0)
            return ledger->entries[i];
    return NULL;
}

/* NULL if there is no memory. */
static struct entry *add_group(struct collector *collector, const struct process_target *target)
{
    const struct label label = {"groupname", target->group};
    AUTO(identity) struct identity *identity = identity_new(&label, 1, NULL, 0);
    struct process_group *group =
        process_group_new(target->group, target->rule,
                          process_rules_is_single(collector->process_rules, target->rule));
    struct entry *entry;

    if (!identity || !group ||
        ledger_add(&collector->ledger, collector->resolution->first_process + (size_t)target->rule,
                   NULL, identity, 0, &entry) < 0) {
        (void)process_group_free(group, collector->processes);
        return NULL;
    }
    (void)TAKE(identity); /* the entry's */
    entry->group = group;
    return entry;
}

/* False where there is no memory. */
static bool enter_process(struct collector *collector, struct process_target *target)
{
    struct entry *entry = find_group(&collector->ledger, target->group);

    if (entry && process_group_is_over(entry->group, target)) {
        ledger_rest(&collector->ledger, entry, collector->now_ns);
        entry = NULL;
    }
    if (!entry)
        entry = ledger_wake(&collector->ledger, target);
    if (!entry)
        entry = add_group(collector, target);
    if (!entry || process_group_add(entry->group, target) < 0)
        return false;
    if (!entry->account)
        collector->status.dropped[SCOPE_PROCESS][entry->uncounted]++;
    return true;
}

static void add_orphan(struct collector *collector, struct process_target *target)
{
    target->next = collector->process_orphans;
    collector->process_orphans = target;
}

static void enter_orphans(struct collector *collector)
{
    struct process_target *orphan = TAKE(collector->process_orphans);

    while (orphan) {
        struct process_target *next = orphan->next;

        if (!enter_process(collector, orphan))
            add_orphan(collector, orphan);
        orphan = next;
    }
}

static void end_process(struct collector *collector, struct process_target *target)
{
    struct process_target **place = &collector->process_orphans;

    if (target->owner) {
        process_member_end(target->owner);
        return;
    }
    while (*place && *place != target)
        place = &(*place)->next;
    if (*place)
        *place = target->next;
    process_targets_release(collector->processes, target);
}

int collector_discover_processes(struct collector *collector)
{
    struct process_changes changes = {0};
    int r;

    if (!collector->processes)
        return 0;
    rest_groups(collector);
    /* On failure there are no changes, and the next update looks at everything. */
    r = collector->between ? process_targets_follow(collector->processes, &changes)
                           : process_targets_update(collector->processes, &changes);
    for (size_t i = 0; i < changes.n_gone; i++)
        end_process(collector, changes.gone[i]);
    enter_orphans(collector);
    for (size_t i = 0; i < changes.n_born; i++)
        if (!enter_process(collector, changes.born[i]))
            add_orphan(collector, changes.born[i]);
    collector->may_open |= changes.n_born > 0;
    return r;
}

/* open */

/* Threads that are counted: of one user, or of all. */
static size_t count_threads(const struct ledger *ledger, const uid_t *user)
{
    size_t n = 0;

    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct process_group *group = ledger->entries[i]->group;

        for (const struct process_member *member = group ? group->members : NULL; member;
             member = member->next)
            if (!member->ended && (!user || member->target->uid == *user))
                n += process_member_threads(member);
    }
    return n;
}

static size_t subtract(size_t limit, size_t taken)
{
    return limit > taken ? limit - taken : 0;
}

/* Root's share is all: it could do worse than to be counted. */
static size_t threads_left(const struct collector *collector, const struct process_member *member)
{
    const size_t limit = (size_t)collector->setup.config->limits.threads;
    size_t left = subtract(limit, count_threads(&collector->ledger, NULL)), of_user;

    if (member->target->uid == 0)
        return left;
    of_user =
        subtract(share_of_one(limit), count_threads(&collector->ledger, &member->target->uid));
    return left < of_user ? left : of_user;
}

struct process_opening collector_opening(const struct collector *collector,
                                         const struct entry *entry)
{
    return (struct process_opening){
        .mechanism = collector_mechanism(collector, SCOPE_PROCESS),
        .groups = collector->resolution->classes[entry->class_index].groups,
        .targets = collector->processes,
        .cpus = collector->online,
        .can_inherit_threads = collector->can_inherit_threads,
        .at_birth = collector->between,
        .now_ns = collector->now_ns,
    };
}

static int open_member(struct collector *collector, const struct entry *entry,
                       struct process_member *member)
{
    struct process_opening opening = collector_opening(collector, entry);

    if (collector->between ? !process_member_is_new(member, &opening)
                           : !process_member_wants_open(member, &opening))
        return 0;
    opening.threads_left = threads_left(collector, member);
    return process_member_open(member, &opening);
}

static int open_members(struct collector *collector)
{
    const struct ledger *ledger = &collector->ledger;
    uint64_t end_ns = clock_monotonic_ns() + (collector->between ? FOLLOW_TIME_NS : OPEN_TIME_NS);

    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct entry *entry = ledger->entries[i];
        struct process_member *member =
            is_awake(entry) && entry->account ? entry->group->members : NULL;

        for (; member && clock_monotonic_ns() < end_ns; member = member->next) {
            int r = member->ended ? 0 : open_member(collector, entry, member);

            if (r < 0)
                return r;
        }
    }
    return 0;
}

/* What a cycle opens it reads in the same cycle. */
static void begin_members(struct collector *collector)
{
    mechanism_refresh(collector_mechanism(collector, SCOPE_PROCESS));
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];

        if (is_awake(entry) && entry->account)
            process_group_begin(entry->group, collector->last_round_ns, clock_monotonic_ns(),
                                collector->resolution->classes[entry->class_index].part);
    }
}

int collector_open_processes(struct collector *collector)
{
    int r = collector->processes ? open_members(collector) : 0;

    if (collector->between && collector->processes)
        begin_members(collector);
    return r;
}

/* read */

/* Counts those that are counted as a whole, and the others each time that they begin not to be. */
static void note_members(struct collector *collector, const struct process_group *group)
{
    for (struct process_member *member = group->members; member; member = member->next) {
        enum absence absence = process_member_absence(member);

        if (absence != ABSENCE_NONE && absence != member->told)
            collector->status.dropped[SCOPE_PROCESS][absence]++;
        member->told = absence;
        collector->status.targets[SCOPE_PROCESS] += process_member_is_counted(member);
    }
}

void collector_read_group(struct collector *collector, struct entry *entry)
{
    struct target_class *class = &collector->resolution->classes[entry->class_index];
    uint64_t start_ns, n;

    if (!is_awake(entry))
        return;
    process_group_read(entry->group, collector->processes, clock_monotonic_ns(), class->part,
                       class->sample);
    collector->may_open |= process_group_is_incomplete(entry->group) ||
                           (collector_follows_threads(collector) && entry->group->members);
    if (!entry->account)
        return;
    account_update(entry->account, class->sample);
    n = process_group_count(entry->group, &start_ns);
    account_set_members(entry->account, n, start_ns);
    if (n == 0)
        account_end(entry->account);
    entry->counted = entry->counted || sample_has_counted(class->sample);
    note_members(collector, entry->group);
}

static uint64_t count_unfollowed(const struct collector *collector)
{
    return collector_mechanism(collector, SCOPE_PROCESS)->unfollowed;
}

void collector_note_unfollowed(struct collector *collector)
{
    const uint64_t now = count_unfollowed(collector);

    collector->status.dropped[SCOPE_PROCESS][ABSENCE_OVER_LIMIT] += now - collector->unfollowed;
    collector->unfollowed = now;
}

int collector_make_processes(struct collector *collector)
{
    const struct config *config = collector->setup.config;
    const struct process_limits limits = {.processes = (size_t)config->limits.processes,
                                          .per_user =
                                              share_of_one((size_t)config->limits.processes)};
    struct process_rule_error wrong; /* the configuration was parsed: there is nothing */
    size_t index;
    int r;

    if (config->n_processes == 0)
        return 0;
    collector->unfollowed = count_unfollowed(collector);
    r = config_processes_make(config, &collector->process_rules, &index, &wrong);
    if (r < 0)
        return r;
    return process_targets_new(collector->setup.procfs_fd, collector->process_rules, &limits,
                               &collector->processes);
}

/* publish */

/* What the set of processes refused, and members that are not counted, or not as a whole. */
void collector_census_processes(const struct collector *collector, struct exporter_status *status)
{
    const struct process_census *census;

    status->processes_hidden = NUMBER_ABSENT_COUNT;
    if (!collector->processes)
        return;
    census = process_targets_census(collector->processes);
    for (size_t reason = 0; reason < ABSENCE_COUNT_; reason++) {
        status->uncounted[SCOPE_PROCESS][reason] += census->uncounted[reason];
        status->dropped[SCOPE_PROCESS][reason] += census->dropped[reason];
    }
    status->process_rescans += census->rescans;
    status->process_record_losses += census->losses;
    status->processes_put_off += census->put_off;
    status->processes_undecided += census->undecided;
    status->process_watching = census->watching;
    status->processes_hidden = census->hidden;
    for (const struct process_target *orphan = collector->process_orphans; orphan;
         orphan = orphan->next)
        status->uncounted[SCOPE_PROCESS][ABSENCE_NO_DESCRIPTORS]++;
    for (size_t i = 0; i < collector->ledger.n_entries; i++) {
        const struct entry *entry = collector->ledger.entries[i];

        for (const struct process_member *member = is_awake(entry) ? entry->group->members : NULL;
             member; member = member->next) {
            enum absence reason =
                entry->account ? process_member_absence(member) : entry->uncounted;

            status->uncounted[SCOPE_PROCESS][reason] += reason != ABSENCE_NONE;
        }
    }
}

/* succession */

struct entry *collector_same_group(const struct ledger *ledger, const struct entry *entry)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct entry *other = ledger->entries[i];

        if (other->group && strcmp(other->group->name, entry->group->name) == 0)
            return other;
    }
    return NULL;
}

static const char *template_of(const struct config_process_rule *rule)
{
    return rule->name.text ? rule->name.text : "";
}

/* The rule that makes such names here; -1: there is none any more. */
static int same_rule(const struct config *config, const struct config_process_rule *rule)
{
    for (size_t i = 0; i < config->n_processes; i++)
        if (strcmp(template_of(&config->processes[i]), template_of(rule)) == 0)
            return (int)i;
    return -1;
}

void collector_inherit_group(struct collector *collector, const struct collector *predecessor,
                             const struct entry *entry)
{
    int rule;

    if (!entry->account || !entry->counted || collector_same_group(&collector->ledger, entry))
        return;
    rule = same_rule(collector->setup.config,
                     &predecessor->setup.config->processes[entry->group->rule]);
    if (rule >= 0)
        ledger_inherit_group(&collector->ledger,
                             collector->resolution->first_process + (size_t)rule, rule, entry,
                             entry->gone_ns ? entry->gone_ns : collector->now_ns);
}
