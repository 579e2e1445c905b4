/* SPDX-License-Identifier: Apache-2.0 */
#include "app/ledger.h"

#include <errno.h>
#include <string.h>

/* Bytes that the labels of a target take on a line. */
static size_t labels_length(const struct identity *identity)
{
    size_t n, length = 0;
    const struct label *labels = identity_labels(identity, &n);

    for (size_t i = 0; i < n; i++)
        length += strlen(labels[i].name) + strlen(labels[i].value) + sizeof("={\"\"}");
    return length;
}

static struct identity *identity_of(const struct entry *entry)
{
    return entry->cgroup ? entry->cgroup->identity : entry->identity;
}

static struct plan *plan_of(const struct ledger *ledger, const struct entry *entry)
{
    return ledger->counting->classes[entry->class_index].plan;
}

void ledger_init(struct ledger *ledger, struct counting *counting, struct cgroup_targets *cgroups,
                 const struct ledger_limits *limits)
{
    *ledger = (struct ledger){.counting = counting, .cgroups = cgroups, .limits = *limits};
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
    ledger->series -= entry->account->plan->n_columns;
    ledger->bytes -= entry->row_bytes;
    entry->account = account_free(entry->account);
    ledger->changed = true;
}

static void free_entry(struct ledger *ledger, struct entry *entry)
{
    if (entry->gone_ns)
        HASH_DEL(ledger->lingering, entry);
    entry->counters = counter_set_free(entry->counters);
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

static bool fits(const struct ledger *ledger, size_t series, size_t bytes)
{
    return ledger->series + series <= ledger->limits.series &&
           ledger->bytes + bytes <= ledger->limits.bytes;
}

int ledger_admit(struct ledger *ledger, struct entry *entry, uint64_t start_realtime_ns)
{
    struct plan *plan = plan_of(ledger, entry);
    struct identity *identity = identity_of(entry);
    size_t bytes = plan_row_bytes(plan, labels_length(identity));

    while (!fits(ledger, plan->n_columns, bytes) && ledger->lingering)
        remove_entry(ledger, ledger->lingering);
    if (!fits(ledger, plan->n_columns, bytes)) {
        entry->uncounted = ABSENCE_OVER_LIMIT;
        return 0;
    }
    entry->account = account_new(plan, identity, start_realtime_ns);
    if (!entry->account)
        return -ENOMEM;
    entry->row_bytes = bytes;
    entry->uncounted = ABSENCE_NONE;
    ledger->series += plan->n_columns;
    ledger->bytes += bytes;
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
    while (ledger->n_entries >= ledger->limits.targets && ledger->lingering)
        remove_entry(ledger, ledger->lingering);
    r = ledger_admit(ledger, entry, start_realtime_ns);
    if (r >= 0)
        r = append_entry(ledger, entry);
    if (r < 0) {
        drop_account(ledger, entry);
        return r;
    }
    *ret_entry = TAKE(entry);
    return 0;
}

/* Puts an entry that has no cgroup any more among those that linger. False: there is no memory. */
static bool enter_lingering(struct ledger *ledger, struct entry *entry)
{
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, ledger->lingering, entry->path, strlen(entry->path),
                                hash_path(ledger, entry->path), entry);
    return entry->hh.tbl;
}

void ledger_linger(struct ledger *ledger, struct entry *entry, uint64_t now_ns)
{
    bool worth_keeping = entry->account && entry->counted;

    entry->counters = counter_set_free(entry->counters);
    if (worth_keeping) {
        account_end(entry->account);
        entry->path = strdup(entry->cgroup->path);
        entry->identity = identity_ref(entry->cgroup->identity);
    }
    cgroup_target_close_fd(entry->cgroup);
    cgroup_targets_release(ledger->cgroups, TAKE(entry->cgroup));
    if (entry->path && enter_lingering(ledger, entry))
        entry->gone_ns = now_ns;
    else
        remove_entry(ledger, entry);
}

void ledger_replace(struct ledger *ledger, const char *path)
{
    struct entry *entry;

    HASH_FIND_BYHASHVALUE(hh, ledger->lingering, path, strlen(path), hash_path(ledger, path),
                          entry);
    if (entry)
        remove_entry(ledger, entry);
}

void ledger_retire(struct ledger *ledger, uint64_t now_ns, uint64_t linger_ns)
{
    /* The hash keeps the order of insertion, which is that of the ends. */
    while (ledger->lingering && now_ns - ledger->lingering->gone_ns >= linger_ns)
        remove_entry(ledger, ledger->lingering);
}

int ledger_replan(struct ledger *ledger, struct entry *entry)
{
    struct plan *plan = plan_of(ledger, entry);
    struct account *account;
    size_t before;

    if (!entry->account || entry->account->plan == plan)
        return 0;
    before = entry->account->plan->n_columns;
    account = account_replan(entry->account, plan);
    if (!account)
        return -ENOMEM;
    entry->account = account;
    ledger->series += plan->n_columns - before;
    ledger->bytes -= entry->row_bytes;
    entry->row_bytes = plan_row_bytes(plan, labels_length(account->identity));
    ledger->bytes += entry->row_bytes;
    ledger->changed = true;
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
    r = roster_new(ledger->counting->catalogue, accounts, ledger->n_accounts, ret_roster);
    if (r >= 0)
        ledger->changed = false;
    return r;
}
