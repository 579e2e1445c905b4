/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Entries that have nothing to count any more, or not now, and how they come and go. Three of them
 * keep their account: a cgroup that has ended lingers for a while, so that its last numbers are
 * scraped; a cgroup for which a successor has no room rests for as long as it lives; and a group of
 * processes without a member rests, since the next process of that name goes on with its totals.
 */
#include <string.h>

#include "base/text.h"
#include "cycle/ledger_parts.h"
#include "cycle/lingering.h"

/* What cannot linger, for want of a path or of memory, is removed at once. */
static void enter_or_remove(struct ledger *ledger, struct entry *entry, uint64_t gone_ns)
{
    if (!lingering_enter(ledger, entry, gone_ns))
        ledger_remove(ledger, entry);
}

void ledger_linger(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    entry->counters = counter_set_free(entry->counters);
    entry->latencies = latency_meter_free(entry->latencies);
    ledger_end_profile(ledger, entry);
    if (entry->account && entry->counted) {
        account_end(entry->account);
        entry->path = strdup(entry->cgroup->path);
        entry->identity = identity_ref(entry->cgroup->identity);
        entry->resting_inode = entry->cgroup->shed ? entry->cgroup->inode : 0;
    }
    cgroup_target_close_fd(entry->cgroup);
    cgroup_targets_release(ledger->cgroups, TAKE(entry->cgroup));
    enter_or_remove(ledger, entry, now_ns);
}

/* A key that no cgroup can have, since all their paths begin with a slash. */
static char *group_key(const char *name)
{
    AUTO_TEXT struct text key = {0};

    text_append_string(&key, "group ");
    text_append_string(&key, name);
    return text_take(&key);
}

void ledger_rest(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    ledger_end_profile(ledger, entry);
    if (entry->account && entry->counted) {
        account_end(entry->account);
        account_set_members(entry->account, 0, 0);
        entry->path = group_key(entry->group->name);
    }
    enter_or_remove(ledger, entry, now_ns);
}

struct entry *ledger_wake(struct ledger *ledger, const struct process_target *target)
{
    /* It is found without a key, which takes memory: without memory it would seem to be missing,
     * and a second group would get its name. */
    struct entry *entry = ledger_find_group(ledger, target->group);

    if (!entry || entry_is_awake(entry))
        return NULL;
    if (!process_group_goes_on_with(entry->group, target)) {
        ledger_remove(ledger, entry); /* a birth under the same labels is another series */
        return NULL;
    }
    lingering_leave(ledger, entry);
    free(TAKE(entry->path));
    return entry;
}

/* Whether a cgroup of this path lives here that has totals of its own, or is another birth. */
static bool is_taken(const struct ledger *ledger, const char *path, uint64_t inode)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct entry *entry = ledger->entries[i];

        if (entry->cgroup && strcmp(entry->cgroup->path, path) == 0)
            return entry->account || entry->cgroup->inode != inode;
    }
    return false;
}

/* Makes an entry that has the totals of another ledger's, and is to linger. NULL: no room. */
static struct entry *copy_entry(struct ledger *ledger, size_t class_index, const struct entry *from)
{
    struct identity *identity = identity_ref(entry_identity(from));
    struct entry *entry;

    if (ledger_add(ledger, class_index, NULL, identity, 0, &entry) < 0) {
        (void)identity_unref(identity);
        return NULL;
    }
    if (!entry->account) {
        ledger_remove(ledger, entry);
        return NULL;
    }
    account_adopt(entry->account, from->account);
    entry->counted = from->counted;
    return entry;
}

void ledger_inherit(struct ledger *ledger, size_t class_index, const struct entry *from,
                    uint64_t now_ns)
{
    const char *path = from->cgroup ? from->cgroup->path : from->path;
    const uint64_t inode = from->cgroup ? from->cgroup->inode : from->resting_inode;
    struct entry *entry =
        is_taken(ledger, path, inode) ? NULL : copy_entry(ledger, class_index, from);

    if (!entry)
        return;
    entry->path = strdup(path);
    entry->resting_inode = inode;
    enter_or_remove(ledger, entry, from->gone_ns ? from->gone_ns : now_ns);
}

void ledger_inherit_group(struct ledger *ledger, size_t class_index, int rule,
                          const struct entry *from, uint64_t gone_ns)
{
    struct entry *entry = copy_entry(ledger, class_index, from);

    if (!entry)
        return;
    entry->group = process_group_copy(from->group, rule);
    if (entry->group)
        ledger_rest(ledger, entry, gone_ns);
    else
        ledger_remove(ledger, entry);
}

void ledger_replace(struct ledger *ledger, const struct cgroup_target *cgroup)
{
    struct entry *entry = lingering_find(ledger, cgroup->path);

    if (entry && entry->resting_inode != cgroup->inode)
        ledger_remove(ledger, entry);
}

void ledger_forget(struct ledger *ledger, size_t n)
{
    for (size_t i = 0; i < n && ledger->lingering; i++)
        ledger_remove(ledger, lingering_least_wanted(ledger));
}

/* Whether the target lives, though there is no room for it, or nobody could look at it yet. */
static bool may_wake(const struct ledger *ledger, const struct entry *entry)
{
    if (entry->group)
        return process_targets_awaits(ledger->processes, entry->group->pid,
                                      entry->group->start_ticks);
    return entry->resting_inode &&
           cgroup_targets_is_there(ledger->cgroups, entry->path, entry->resting_inode);
}

/* Its time of lingering is over. What may still wake lingers once more as long. */
static void retire(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    if (!may_wake(ledger, entry)) {
        ledger_remove(ledger, entry);
        return;
    }
    lingering_leave(ledger, entry);
    enter_or_remove(ledger, entry, now_ns);
}

void ledger_retire(struct ledger *ledger, uint64_t now_ns, uint64_t linger_ns)
{
    struct entry *next = ledger->lingering;

    /* The hash keeps the order of insertion, which is that of the ends. It goes round once, since
     * what lingers once more is put at its end. */
    for (size_t left = HASH_COUNT(next); left > 0 && now_ns - next->gone_ns >= linger_ns; left--) {
        struct entry *entry = next;

        next = entry->hh.next;
        if (!entry->group || entry->group->single)
            retire(ledger, entry, now_ns);
    }
}
