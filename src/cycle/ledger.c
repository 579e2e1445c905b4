/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/ledger.h"

#include <errno.h>
#include <string.h>

#include "cycle/ledger_parts.h"
#include "cycle/lingering.h"

/* What /metrics takes for the exporter itself, and for each event; both are rounded up. */
#define OWN_BYTES       16384
#define BYTES_PER_EVENT 1024

struct identity *entry_identity(const struct entry *entry)
{
    return entry->cgroup ? entry->cgroup->identity : entry->identity;
}

static struct plan *plan_of(const struct ledger *ledger, const struct entry *entry)
{
    return ledger->resolution->classes[entry->class_index].plan;
}

void ledger_init(struct ledger *ledger, struct resolution *resolution,
                 const struct ledger_sets *sets, const struct ledger_limits *limits)
{
    *ledger = (struct ledger){.resolution = resolution,
                              .cgroups = sets->cgroups,
                              .processes = sets->processes,
                              .profiles = sets->profiles,
                              .limits = *limits,
                              .all.bytes = OWN_BYTES};
    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct target_class *class = &resolution->classes[i];

        ledger->all.bytes += class->plan ? plan_head_bytes(class->plan) : 0;
        ledger->all.bytes += class->groups ? BYTES_PER_EVENT * class->groups->n_events : 0;
    }
    hash_key_draw(&ledger->hash_key);
}

/* Takes the account out of the sums, and frees it. */
static void drop_account(struct ledger *ledger, struct entry *entry)
{
    if (!entry->account)
        return;
    ledger->all = footprint_subtract(ledger->all, entry->footprint);
    entry->account = account_free(entry->account);
    ledger->changed = true;
}

void ledger_end_profile(struct ledger *ledger, struct entry *entry)
{
    entry->profile.target = profile_targets_remove(ledger->profiles, entry->profile.target);
}

static void free_entry(struct ledger *ledger, struct entry *entry)
{
    if (entry->gone_ns)
        lingering_leave(ledger, entry);
    entry->counters = counter_set_free(entry->counters);
    entry->latencies = latency_meter_free(entry->latencies);
    ledger_end_profile(ledger, entry);
    entry->group = process_group_free(entry->group, ledger->processes);
    drop_account(ledger, entry);
    (void)identity_unref(entry->identity);
    if (entry->cgroup && entry->cgroup->gone)
        cgroup_targets_release(ledger->cgroups, entry->cgroup);
    free(entry->path);
    free(entry);
}

void ledger_remove(struct ledger *ledger, struct entry *entry)
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

/* What the targets at and below the top-level cgroup of this path take. */
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

/* Whether there is room for the entry beside what lives: what lingers can be made to go. */
static bool has_room(const struct ledger *ledger, const struct entry *entry,
                     struct footprint wanted)
{
    const struct footprint limit = ledger->limits.footprint;
    const struct footprint living = footprint_subtract(ledger->all, ledger->ended);
    const struct footprint with = footprint_add(living, wanted);
    struct footprint subtree;

    if (!footprint_is_within(with, limit))
        return false;
    /* Where all together are within the share of one alone, each has its share beside the others.
     * The first of a subtree may take what is left, however little. */
    if (!entry->cgroup || footprint_is_within(with, footprint_share(limit, (struct footprint){0})))
        return true;
    subtree = subtree_footprint(ledger, entry->cgroup->path);
    return subtree.series == 0 ||
           footprint_is_within(footprint_add(subtree, wanted),
                               footprint_share(limit, footprint_subtract(living, subtree)));
}

/* Makes room by ending what lingers. Returns false, and ends nothing, if that is not enough. */
static bool make_room(struct ledger *ledger, const struct entry *entry, struct footprint wanted)
{
    if (!has_room(ledger, entry, wanted))
        return false;
    while (!footprint_is_within(footprint_add(ledger->all, wanted), ledger->limits.footprint))
        ledger_remove(ledger, lingering_least_wanted(ledger));
    return true;
}

struct entry *ledger_find_resting(const struct ledger *ledger, const struct cgroup_target *cgroup)
{
    struct entry *entry = lingering_find(ledger, cgroup->path);

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

/* The entry goes on with the account of the resting one, which has its place in the sums. */
static void wake_cgroup(struct ledger *ledger, struct entry *entry, struct entry *resting)
{
    if (!has_room(ledger, entry, resting->footprint)) {
        entry->uncounted = ABSENCE_OVER_LIMIT;
        return;
    }
    entry->account = TAKE(resting->account);
    entry->footprint = resting->footprint;
    entry->counted = resting->counted;
    entry->uncounted = ABSENCE_NONE;
    ledger_remove(ledger, resting);
    account_rename(entry->account, entry->cgroup->identity);
    ledger->changed = true;
}

int ledger_admit(struct ledger *ledger, struct entry *entry, uint64_t start_realtime_ns)
{
    struct plan *plan = plan_of(ledger, entry);
    struct identity *identity = entry_identity(entry);
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

/* Returns 0, or -ENOMEM if there is no memory for the place of one more entry. */
static int reserve_place(struct ledger *ledger)
{
    struct entry **entries = reallocarray(ledger->entries, ledger->n_entries + 1, sizeof(*entries));

    if (!entries)
        return -ENOMEM;
    ledger->entries = entries;
    return 0;
}

int ledger_add(struct ledger *ledger, size_t class_index, struct cgroup_target *cgroup,
               struct identity *identity, uint64_t start_realtime_ns, struct entry **ret_entry)
{
    AUTO_FREE struct entry *entry = calloc(1, sizeof(*entry));
    int r;

    if (!entry || reserve_place(ledger) < 0)
        return -ENOMEM;
    entry->class_index = class_index;
    entry->cgroup = cgroup;
    entry->identity = identity;
    /*
     * The cgroup may rest here, so it is admitted before others have to go. Nothing can fail from
     * then on: an account that was taken from a resting entry would be lost with its totals.
     */
    r = ledger_admit(ledger, entry, start_realtime_ns);
    while (ledger->n_entries >= ledger->limits.targets && ledger->lingering)
        ledger_remove(ledger, lingering_least_wanted(ledger));
    if (r < 0)
        return r;
    ledger->entries[ledger->n_entries++] = entry;
    *ret_entry = TAKE(entry);
    return 0;
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
