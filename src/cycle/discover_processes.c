/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The first stage, for processes. An entry of the ledger is a group of processes; its members come
 * and go below it. A group without members rests, and makes room for others.
 */
#include <string.h>

#include "cycle/collector_parts.h"
#include "cycle/stages.h"

/* Groups without members rest; backwards, since removing an entry moves the last into its place. */
static void rest_groups(struct collector *collector, const struct round *round)
{
    struct ledger *ledger = &collector->ledger;

    for (size_t i = ledger->n_entries; i-- > 0;)
        if (entry_is_awake(ledger->entries[i]) && !ledger->entries[i]->group->members)
            ledger_rest(ledger, ledger->entries[i], round->now_ns);
}

static struct entry *find_group(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (entry_is_awake(ledger->entries[i]) &&
            strcmp(ledger->entries[i]->group->name, name) == 0)
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
                          process_rules_is_single(collector->processes.rules, target->rule));
    struct entry *entry;

    if (!identity || !group ||
        ledger_add(&collector->ledger, collector->resolution->first_process + (size_t)target->rule,
                   NULL, identity, 0, &entry) < 0) {
        (void)process_group_free(group, collector->processes.targets);
        return NULL;
    }
    (void)TAKE(identity); /* the entry's */
    entry->group = group;
    return entry;
}

/* Returns false if there is no memory. */
static bool enter_process(struct collector *collector, const struct round *round,
                          struct process_target *target)
{
    struct entry *entry = find_group(&collector->ledger, target->group);

    if (entry && process_group_is_over(entry->group, target)) {
        ledger_rest(&collector->ledger, entry, round->now_ns);
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

/* One of which nothing was opened is dropped; if a limit refused it, that has been counted. */
static void end_process(struct collector *collector, const struct process_target *target)
{
    struct process_member *member = target->owner;
    const struct entry *entry = find_group(&collector->ledger, target->group);

    process_member_end(member);
    if (member->n_counters == 0 && member->absence == ABSENCE_NONE && entry && entry->account)
        collector->status.dropped[SCOPE_PROCESS][ABSENCE_TARGET_GONE]++;
}

int collector_discover_processes(struct collector *collector, const struct round *round,
                                 struct discovered *discovered)
{
    struct counted_processes *processes = &collector->processes;
    struct process_changes changes = {0};
    int r;

    if (!processes->targets)
        return 0;
    rest_groups(collector, round);
    r = round->between_cycles ? process_targets_follow(processes->targets, &changes)
                              : process_targets_update(processes->targets, &changes);
    for (size_t i = 0; i < changes.n_gone; i++)
        end_process(collector, changes.gone[i]);
    for (size_t i = 0; i < changes.n_born; i++) {
        if (enter_process(collector, round, changes.born[i])) {
            discovered->n_entered++;
        } else {
            process_targets_give_back(processes->targets, changes.born[i]);
            discovered->n_given_back++;
        }
    }
    return r;
}
