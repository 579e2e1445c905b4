/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/reference.h"

/* The object that is counted by reference. Callers see its member `snapshot` only. */
struct shared_snapshot {
    struct reference reference;
    struct snapshot snapshot; /* comes last, because its array of numbers has no fixed size */
};

static struct shared_snapshot *shared_of(struct snapshot *snapshot)
{
    return (struct shared_snapshot *)(void *)((char *)snapshot -
                                              offsetof(struct shared_snapshot, snapshot));
}

static size_t count_breakdowns(struct account *const *accounts, size_t n_accounts)
{
    size_t n = 0;

    for (size_t i = 0; i < n_accounts; i++)
        for (size_t kind = 0; kind < BREAKDOWN_KIND_COUNT_; kind++)
            n += accounts[i]->by_key.of[kind] != NULL;
    return n;
}

/* Takes references of the totals by key, which are not copied. False: there is no memory. */
static bool refer_to_breakdowns(struct snapshot *snapshot, struct account *const *accounts,
                                size_t n_accounts)
{
    const size_t n = count_breakdowns(accounts, n_accounts);

    if (n == 0)
        return true;
    snapshot->breakdowns = calloc(n, sizeof(*snapshot->breakdowns));
    if (!snapshot->breakdowns)
        return false;
    for (size_t i = 0; i < n_accounts; i++)
        for (size_t kind = 0; kind < BREAKDOWN_KIND_COUNT_; kind++) {
            struct breakdown *breakdown = accounts[i]->by_key.of[kind];
            struct snapshot_breakdown *place = &snapshot->breakdowns[snapshot->n_breakdowns];

            if (!breakdown)
                continue;
            place->plan = snapshot->roster->places[i].part;
            place->target = snapshot->roster->places[i].target;
            place->breakdown = breakdown_ref(breakdown);
            snapshot->n_breakdowns++;
        }
    return true;
}

struct snapshot *snapshot_new(struct roster *roster, struct account *const *accounts,
                              size_t n_accounts, const struct exporter_status *status)
{
    struct shared_snapshot *shared =
        malloc(sizeof(*shared) + roster->n_numbers * sizeof(*shared->snapshot.numbers));

    if (!shared)
        return NULL;
    reference_init(&shared->reference);
    shared->snapshot.roster = roster_ref(roster);
    shared->snapshot.cpus = NULL;
    shared->snapshot.taken_ns = 0;
    shared->snapshot.taken_realtime_ns = 0;
    shared->snapshot.sequence = 0;
    shared->snapshot.status = *status;
    shared->snapshot.breakdowns = NULL;
    shared->snapshot.n_breakdowns = 0;
    for (size_t i = 0; i < n_accounts; i++)
        memcpy(&shared->snapshot.numbers[roster->rows[i]], accounts[i]->row,
               accounts[i]->plan->n_numbers * sizeof(*accounts[i]->row));
    if (!refer_to_breakdowns(&shared->snapshot, accounts, n_accounts))
        return snapshot_unref(&shared->snapshot);
    return &shared->snapshot;
}

struct snapshot *snapshot_ref(struct snapshot *snapshot)
{
    reference_take(&shared_of(snapshot)->reference);
    return snapshot;
}

struct snapshot *snapshot_unref(struct snapshot *snapshot)
{
    struct shared_snapshot *shared;

    if (!snapshot)
        return NULL;
    shared = shared_of(snapshot);
    if (!reference_drop(&shared->reference))
        return NULL;
    (void)snapshot_cpus_free(snapshot->cpus);
    for (size_t i = 0; i < snapshot->n_breakdowns; i++)
        (void)breakdown_unref(snapshot->breakdowns[i].breakdown);
    free(snapshot->breakdowns);
    (void)roster_unref(snapshot->roster);
    free(shared);
    return NULL;
}

static bool find_in_part(const struct roster_part *part, const struct label *labels,
                         size_t n_labels, size_t *ret_index)
{
    for (size_t i = 0; i < part->n; i++)
        if (identity_has_labels(part->identities[i], labels, n_labels)) {
            *ret_index = i;
            return true;
        }
    return false;
}

bool snapshot_find(const struct snapshot *snapshot, const struct label *labels, size_t n_labels,
                   struct snapshot_row *ret_row)
{
    const struct roster *roster = snapshot->roster;
    size_t index;

    for (size_t i = 0; i < roster->catalogue->n_plans; i++) {
        const struct plan *plan = roster->catalogue->plans[i];
        const struct roster_part *part = &roster->parts[i];

        if (!find_in_part(part, labels, n_labels, &index))
            continue;
        *ret_row = (struct snapshot_row){
            .plan = plan,
            .identity = part->identities[index],
            .numbers = snapshot->numbers + part->first + index * plan->n_numbers,
        };
        return true;
    }
    return false;
}

const union number *snapshot_row_number(const struct snapshot_row *row, const char *family,
                                        const char *group)
{
    for (size_t i = 0; i < row->plan->n_columns; i++) {
        const struct column *column = &row->plan->columns[i];
        const char *name = column_label(column, "group");
        const bool same_group = group ? name && strcmp(name, group) == 0 : !column->labels[0].name;

        if (same_group && strcmp(column->name, family) == 0)
            return &row->numbers[i];
    }
    return NULL;
}

struct snapshot_slot {
    pthread_mutex_t mutex; /* held only while the pointer is exchanged, so nobody waits long */
    struct snapshot *current;
    uint64_t sequence;
};

struct snapshot_slot *snapshot_slot_new(void)
{
    struct snapshot_slot *slot = calloc(1, sizeof(*slot));

    if (slot)
        (void)pthread_mutex_init(&slot->mutex, NULL); /* cannot fail on Linux */
    return slot;
}

struct snapshot_slot *snapshot_slot_free(struct snapshot_slot *slot)
{
    if (!slot)
        return NULL;
    (void)snapshot_unref(slot->current);
    (void)pthread_mutex_destroy(&slot->mutex);
    free(slot);
    return NULL;
}

void snapshot_slot_publish(struct snapshot_slot *slot, struct snapshot *snapshot)
{
    struct snapshot *before;

    snapshot->sequence = ++slot->sequence;
    (void)pthread_mutex_lock(&slot->mutex);
    before = slot->current;
    slot->current = snapshot;
    (void)pthread_mutex_unlock(&slot->mutex);
    (void)snapshot_unref(before);
}

struct snapshot *snapshot_slot_get(struct snapshot_slot *slot)
{
    struct snapshot *snapshot;

    (void)pthread_mutex_lock(&slot->mutex);
    snapshot = slot->current ? snapshot_ref(slot->current) : NULL;
    (void)pthread_mutex_unlock(&slot->mutex);
    return snapshot;
}
