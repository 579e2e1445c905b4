/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/ledger.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

/* What /metrics says of the exporter itself, and of each event. */
#define OWN_BYTES       16384
#define BYTES_PER_EVENT 1024

static struct identity *identity_of(const struct entry *entry)
{
    return entry->cgroup ? entry->cgroup->identity : entry->identity;
}

static struct plan *plan_of(const struct ledger *ledger, const struct entry *entry)
{
    return ledger->resolution->classes[entry->class_index].plan;
}

void ledger_init(struct ledger *ledger, struct resolution *resolution,
                 struct cgroup_targets *cgroups, struct process_targets *processes,
                 const struct ledger_limits *limits)
{
    *ledger = (struct ledger){.resolution = resolution,
                              .cgroups = cgroups,
                              .processes = processes,
                              .limits = *limits,
                              .all.bytes = OWN_BYTES};
    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct target_class *class = &resolution->classes[i];

        ledger->all.bytes += class->plan ? plan_head_bytes(class->plan) : 0;
        ledger->all.bytes += class->groups ? BYTES_PER_EVENT * class->groups->n_events : 0;
    }
    hash_key_draw(&ledger->hash_key);
}

static unsigned hash_path(const struct ledger *ledger, const char *path)
{
    return (unsigned)keyed_hash(&ledger->hash_key, path, strlen(path));
}

/* Takes the account's numbers out of the sums, and frees it. */
static void drop_account(struct ledger *ledger, struct entry *entry)
{
    if (!entry->account)
        return;
    ledger->all = footprint_subtract(ledger->all, entry->footprint);
    if (entry->gone_ns)
        ledger->ended = footprint_subtract(ledger->ended, entry->footprint);
    entry->account = account_free(entry->account);
    ledger->changed = true;
}

static void free_entry(struct ledger *ledger, struct entry *entry)
{
    if (entry->gone_ns)
        HASH_DEL(ledger->lingering, entry);
    entry->counters = counter_set_free(entry->counters);
    entry->group = process_group_free(entry->group, ledger->processes);
    drop_account(ledger, entry);
    (void)identity_unref(entry->identity);
    if (entry->cgroup && entry->cgroup->gone)
        cgroup_targets_release(ledger->cgroups, entry->cgroup);
    free(entry->path);
    free(entry);
}

static void remove_entry(struct ledger *ledger, struct entry *entry)
{
    size_t i = 0;

    while (ledger->entries[i] != entry)
        i++;
    ledger->n_entries--;
    ledger->entries[i] = ledger->entries[ledger->n_entries];
    free_entry(ledger, entry);
}

void ledger_done(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        free_entry(ledger, ledger->entries[i]);
    free(ledger->entries);
    free(ledger->accounts);
    *ledger = (struct ledger){0};
}

static bool same_top(const char *a, const char *b)
{
    size_t length = 1 + strcspn(a + 1, "/");

    return strncmp(a, b, length) == 0 && (b[length] == '/' || b[length] == '\0');
}

/* What lives below the top-level cgroup of this path. */
static struct footprint subtree_footprint(const struct ledger *ledger, const char *path)
{
    struct footprint sum = {0};

    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct entry *entry = ledger->entries[i];

        if (entry->account && entry->cgroup && same_top(path, entry->cgroup->path))
            sum = footprint_add(sum, entry->footprint);
    }
    return sum;
}

/* What goes first where room is wanted: what has ended before what rests. */
static struct entry *least_wanted(const struct ledger *ledger)
{
    struct entry *entry = ledger->lingering;

    while (entry && entry->resting_inode)
        entry = entry->hh.next;
    return entry ? entry : ledger->lingering;
}

/* Whether there is room for it beside what lives. */
static bool has_room(const struct ledger *ledger, const struct entry *entry,
                     struct footprint wanted)
{
    const struct footprint limit = ledger->limits.footprint;
    const struct footprint share = footprint_share(limit);
    const struct footprint with =
        footprint_add(footprint_subtract(ledger->all, ledger->ended), wanted);

    if (!footprint_is_within(with, limit))
        return false;
    /* Where all together are within one's share, each is, and need not be summed up. */
    return !entry->cgroup || footprint_is_within(with, share) ||
           footprint_is_within(
               footprint_add(subtree_footprint(ledger, entry->cgroup->path), wanted), share);
}

/* The same; what lingers has to go for it then. */
static bool make_room(struct ledger *ledger, const struct entry *entry, struct footprint wanted)
{
    if (!has_room(ledger, entry, wanted))
        return false;
    while (!footprint_is_within(footprint_add(ledger->all, wanted), ledger->limits.footprint))
        remove_entry(ledger, least_wanted(ledger));
    return true;
}

static struct entry *find_lingering(const struct ledger *ledger, const char *key)
{
    struct entry *entry;

    HASH_FIND_BYHASHVALUE(hh, ledger->lingering, key, strlen(key), hash_path(ledger, key), entry);
    return entry;
}

struct entry *ledger_find_resting(const struct ledger *ledger, const struct cgroup_target *cgroup)
{
    struct entry *entry = find_lingering(ledger, cgroup->path);

    return entry && entry->resting_inode == cgroup->inode ? entry : NULL;
}

struct entry *ledger_find_group(const struct ledger *ledger, const char *name)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[i];

        if (entry->group && strcmp(entry->group->name, name) == 0)
            return entry;
    }
    return NULL;
}

/* It goes on with the account that it had: that has its place in the sums. */
static void wake_cgroup(struct ledger *ledger, struct entry *entry, struct entry *resting)
{
    if (!has_room(ledger, entry, resting->footprint)) {
        entry->uncounted = ABSENCE_OVER_LIMIT;
        return;
    }
    ledger->ended = footprint_subtract(ledger->ended, resting->footprint);
    entry->account = TAKE(resting->account);
    entry->footprint = resting->footprint;
    entry->counted = resting->counted;
    entry->uncounted = ABSENCE_NONE;
    remove_entry(ledger, resting);
    account_rename(entry->account, entry->cgroup->identity);
    ledger->changed = true;
}

int ledger_admit(struct ledger *ledger, struct entry *entry, uint64_t start_realtime_ns)
{
    struct plan *plan = plan_of(ledger, entry);
    struct identity *identity = identity_of(entry);
    struct footprint footprint = footprint_of(plan, identity);
    struct entry *resting = entry->cgroup ? ledger_find_resting(ledger, entry->cgroup) : NULL;

    if (resting) {
        wake_cgroup(ledger, entry, resting);
        return 0;
    }
    if (!make_room(ledger, entry, footprint)) {
        entry->uncounted = ABSENCE_OVER_LIMIT;
        return 0;
    }
    entry->account = account_new(plan, identity, start_realtime_ns);
    if (!entry->account)
        return -ENOMEM;
    if (entry->cgroup)
        account_set_created(entry->account, entry->cgroup->created_realtime_ns);
    entry->footprint = footprint;
    entry->uncounted = ABSENCE_NONE;
    ledger->all = footprint_add(ledger->all, footprint);
    ledger->changed = true;
    return 0;
}

static int append_entry(struct ledger *ledger, struct entry *entry)
{
    struct entry **entries = reallocarray(ledger->entries, ledger->n_entries + 1, sizeof(*entries));

    if (!entries)
        return -ENOMEM;
    ledger->entries = entries;
    entries[ledger->n_entries++] = entry;
    return 0;
}

int ledger_add(struct ledger *ledger, size_t class_index, struct cgroup_target *cgroup,
               struct identity *identity, uint64_t start_realtime_ns, struct entry **ret_entry)
{
    AUTO_FREE struct entry *entry = calloc(1, sizeof(*entry));
    int r;

    if (!entry)
        return -ENOMEM;
    entry->class_index = class_index;
    entry->cgroup = cgroup;
    entry->identity = identity;
    r = ledger_admit(ledger, entry, start_realtime_ns); /* it may rest, and goes before others go */
    while (ledger->n_entries >= ledger->limits.targets && ledger->lingering)
        remove_entry(ledger, least_wanted(ledger));
    if (r >= 0)
        r = append_entry(ledger, entry);
    if (r < 0) {
        drop_account(ledger, entry);
        return r;
    }
    *ret_entry = TAKE(entry);
    return 0;
}

/* Puts an entry that has nothing to count any more among those that linger; removes it where it
 * cannot. */
static void enter_lingering(struct ledger *ledger, struct entry *entry, uint64_t gone_ns)
{
    if (entry->path)
        HASH_ADD_KEYPTR_BYHASHVALUE(hh, ledger->lingering, entry->path, strlen(entry->path),
                                    hash_path(ledger, entry->path), entry);
    if (!entry->path || !entry->hh.tbl) {
        remove_entry(ledger, entry);
        return;
    }
    entry->gone_ns = gone_ns;
    ledger->ended = footprint_add(ledger->ended, entry->footprint);
}

void ledger_linger(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    entry->counters = counter_set_free(entry->counters);
    if (entry->account && entry->counted) {
        account_end(entry->account);
        entry->path = strdup(entry->cgroup->path);
        entry->identity = identity_ref(entry->cgroup->identity);
    }
    cgroup_target_close_fd(entry->cgroup);
    cgroup_targets_release(ledger->cgroups, TAKE(entry->cgroup));
    enter_lingering(ledger, entry, now_ns);
}

/* Beside paths of cgroups, all of which begin with a slash. */
static char *group_key(const char *name)
{
    AUTO_TEXT struct text key = {0};

    text_append_string(&key, "group ");
    text_append_string(&key, name);
    return text_take(&key);
}

void ledger_rest(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    if (entry->account && entry->counted) {
        account_end(entry->account);
        account_set_members(entry->account, 0, 0);
        entry->path = group_key(entry->group->name);
    }
    enter_lingering(ledger, entry, now_ns);
}

/* Takes it out of those that linger. */
static void leave_lingering(struct ledger *ledger, struct entry *entry)
{
    HASH_DEL(ledger->lingering, entry);
    ledger->ended = footprint_subtract(ledger->ended, entry->footprint);
    entry->gone_ns = 0;
}

struct entry *ledger_wake(struct ledger *ledger, const struct process_target *target)
{
    AUTO_FREE char *key = group_key(target->group);
    struct entry *entry = key ? find_lingering(ledger, key) : NULL;

    if (!entry)
        return NULL;
    if (!process_group_goes_on_with(entry->group, target)) {
        remove_entry(ledger, entry); /* a birth under the same labels is another series */
        return NULL;
    }
    leave_lingering(ledger, entry);
    free(TAKE(entry->path));
    return entry;
}

/* Whether a cgroup of this path lives here, which needs no other totals, or is another birth. */
static bool is_taken(const struct ledger *ledger, const char *path, uint64_t inode)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        const struct entry *entry = ledger->entries[i];

        if (entry->cgroup && strcmp(entry->cgroup->path, path) == 0)
            return entry->account || entry->cgroup->inode != inode;
    }
    return false;
}

/* An entry with the totals of another ledger's, that is to linger. NULL: there is no room. */
static struct entry *copy_entry(struct ledger *ledger, size_t class_index, const struct entry *from)
{
    struct identity *identity = identity_ref(identity_of(from));
    struct entry *entry;

    if (ledger_add(ledger, class_index, NULL, identity, 0, &entry) < 0) {
        (void)identity_unref(identity);
        return NULL;
    }
    if (!entry->account) {
        remove_entry(ledger, entry);
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
    enter_lingering(ledger, entry, from->gone_ns ? from->gone_ns : now_ns);
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
        remove_entry(ledger, entry);
}

void ledger_replace(struct ledger *ledger, const struct cgroup_target *cgroup)
{
    struct entry *entry = find_lingering(ledger, cgroup->path);

    if (entry && entry->resting_inode != cgroup->inode)
        remove_entry(ledger, entry);
}

/* Whether it lives, and there is no room for it, or nobody could look at it until now. */
static bool may_wake(const struct ledger *ledger, const struct entry *entry)
{
    if (entry->group)
        return process_targets_awaits(ledger->processes, entry->group->pid,
                                      entry->group->start_ticks);
    return entry->resting_inode &&
           cgroup_targets_is_there(ledger->cgroups, entry->path, entry->resting_inode);
}

/* It has not been looked at for the time of lingering: one that still rests begins another one. */
static void retire(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    if (!may_wake(ledger, entry)) {
        remove_entry(ledger, entry);
        return;
    }
    leave_lingering(ledger, entry);
    enter_lingering(ledger, entry, now_ns);
}

void ledger_retire(struct ledger *ledger, uint64_t now_ns, uint64_t linger_ns)
{
    struct entry *next = ledger->lingering;

    /* The hash keeps the order of insertion, which is that of the ends: it goes round once. */
    for (size_t left = HASH_COUNT(next); left > 0 && now_ns - next->gone_ns >= linger_ns; left--) {
        struct entry *entry = next;

        next = entry->hh.next;
        if (!entry->group || entry->group->single)
            retire(ledger, entry, now_ns);
    }
}

void ledger_rename(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[i];

        if (!entry->cgroup || !entry->account ||
            entry->account->identity == entry->cgroup->identity)
            continue;
        account_rename(entry->account, entry->cgroup->identity);
        ledger->changed = true;
    }
}

int ledger_roster(struct ledger *ledger, struct roster **ret_roster)
{
    struct account **accounts =
        reallocarray(ledger->accounts, ledger->n_entries + 1, sizeof(*accounts));
    int r;

    if (!accounts)
        return -ENOMEM;
    ledger->accounts = accounts;
    ledger->n_accounts = 0;
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->account)
            accounts[ledger->n_accounts++] = ledger->entries[i]->account;
    r = roster_new(ledger->resolution->catalogue, accounts, ledger->n_accounts, ret_roster);
    if (r >= 0)
        ledger->changed = false;
    return r;
}
