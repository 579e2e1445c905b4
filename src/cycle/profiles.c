/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The targets are compared with those that have been named, in each round: that costs no more than
 * a look at each entry, and nothing is forgotten on the many ways by which targets come and go.
 * What it takes to find the processes of a member is done once for each who samples.
 */
#include "cycle/profiles.h"

#include "cycle/collector_parts.h"
#include "resolve/resolution_shown.h"

/* NULL: nobody samples. */
static struct profile_targets *targets_of(const struct collector *collector)
{
    return collector->setup.config->profiles.enabled ? collector->setup.profiles : NULL;
}

static unsigned rate_of(const struct collector *collector)
{
    return (unsigned)collector->setup.config->profiles.rate_hz;
}

void collector_plan_profiles(struct collector *collector)
{
    resolution_show_profiles(collector->resolution, targets_of(collector) != NULL);
}

/* Enters the entry's target. Without memory the next round does it. */
static void enter(struct profile_targets *targets, struct entry *entry)
{
    struct entry_profile *profile = &entry->profile;
    size_t n;

    if (entry->group) {
        profile->target = profile_targets_add_group(targets, entry->group->name);
    } else {
        const struct label *labels = identity_labels(entry->cgroup->identity, &n);
        const struct profile_cgroup cgroup = {
            .id = entry->cgroup->inode, .path = entry->cgroup->path, .label = labels[0].value};

        profile->target = profile_targets_add_cgroup(targets, &cgroup);
    }
    if (profile->target) /* a predecessor has read, or lost, what it has by now */
        profile->last.samples = profile_targets_read(targets, profile->target).samples;
    profile->last.since_ns = 0;
}

static struct profile_watched watched_of(const struct process_member *member)
{
    return (struct profile_watched){.pid = member->target->pid,
                                    .start_ticks = member->target->start_ticks,
                                    .children = member->target->children};
}

/* Names the members of a group. Returns whether some are still to be told. */
static bool name_members(struct profile_targets *targets, const struct entry *entry)
{
    bool is_to_tell = false;

    for (const struct process_member *member = entry->group->members; member;
         member = member->next) {
        const struct profile_watched watched = watched_of(member);

        if (!member->ended)
            is_to_tell |= profile_targets_watch(targets, entry->profile.target, &watched);
    }
    return is_to_tell;
}

/* What it starts while it is told follows it: the kernel has it inherit. */
static void tell_member(const struct collector *collector, const struct process_member *member)
{
    const struct profile_watched watched = watched_of(member);
    AUTO_FREE pid_t *processes = NULL;
    size_t n;

    if (process_targets_processes(collector->processes.targets, member->target, &processes, &n) >=
        0) /* else it has ended, or the next round tries again */
        (void)profile_targets_tell(targets_of(collector), &watched, processes, n);
}

static void tell_members(const struct collector *collector, const struct entry *entry)
{
    for (const struct process_member *member = entry->group->members; member;
         member = member->next) {
        const struct profile_watched watched = watched_of(member);

        if (!member->ended &&
            profile_targets_watch(targets_of(collector), entry->profile.target, &watched))
            tell_member(collector, member);
    }
}

/* Whether the entry is a target whose samples are its own. */
static bool is_target(const struct entry *entry)
{
    return entry->account && !entry->gone_ns && (entry->cgroup || entry->group);
}

void collector_name_profiles(struct collector *collector)
{
    struct profile_targets *const targets = targets_of(collector);
    const struct ledger *ledger = &collector->ledger;
    bool is_to_tell = false;

    if (!targets)
        return;
    profile_targets_begin_round(targets);
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[i];

        if (is_target(entry) && !entry->profile.target)
            enter(targets, entry);
        if (entry->profile.target && entry->group)
            is_to_tell |= name_members(targets, entry);
    }
    profile_targets_end_round(targets);
    for (size_t i = 0; i < ledger->n_entries && is_to_tell; i++)
        if (ledger->entries[i]->profile.target && ledger->entries[i]->group)
            tell_members(collector, ledger->entries[i]);
}

void collector_read_profile(const struct collector *collector, struct entry *entry)
{
    struct entry_profile *profile = &entry->profile;
    struct profile_reading reading;
    bool goes_on;

    if (!profile->target)
        return;
    reading = profile_targets_read(collector->setup.profiles, profile->target);
    goes_on = reading.since_ns && reading.since_ns == profile->last.since_ns;
    account_add_profile(entry->account, reading.samples - profile->last.samples, rate_of(collector),
                        goes_on);
    profile->last = reading;
}

void profile_adopt(const struct collector *collector, struct entry *entry,
                   const struct collector *predecessor, const struct entry *from)
{
    if (!entry->profile.target || entry->profile.target != from->profile.target)
        return;
    entry->profile.last = from->profile.last;
    if (rate_of(collector) != rate_of(predecessor))
        entry->profile.last.since_ns = 0; /* samples stand for another time from now on */
}
