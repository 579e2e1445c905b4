/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A minute is a slice of its own for an hour at least. When all minutes of an hour are that old
 * they become one slice, of the hour; so minutes are kept for one to two hours, every sample is in
 * one slice, and `minutes_from` says where hours end and minutes begin.
 */
#include "profile/store_time.h"

#include "base/share.h"
#include "profile/fair_share.h"
#include "profile/store_targets.h"

static bool close_minute(struct profile_store *store, struct store_target *target,
                         struct open_minute *open)
{
    AUTO_ENTRY_LIST struct entry_list list = {0};
    struct slice *slice;

    if (entry_list_reserve(&list, open->counts.n + 1) < 0 ||
        count_map_list(&open->counts, &list) < 0)
        return false;
    if (open->folded > 0)
        list.entries[list.n++] = (struct slice_entry){STORE_FOLDED_NODE, open->folded};
    slice = slice_new(&list, open->minute, 1, (uint16_t)store->rate_hz);
    if (!slice || store_target_keep_slice(store, target, slice) < 0) {
        free(slice);
        return false;
    }
    count_map_done(&open->counts);
    *open = (struct open_minute){0};
    return true;
}

void store_close_minutes(struct profile_store *store, uint32_t before)
{
    for (size_t i = 0; i < store->n_targets; i++)
        for (size_t j = 0; j < OPEN_MINUTES; j++) {
            struct open_minute *open = &store->targets[i]->open[j];

            if (!open_minute_is_empty(open) && open->minute < before)
                (void)close_minute(store, store->targets[i], open);
        }
    store->open_from = before;
}

static bool is_minute_of(const struct slice *slice, uint32_t hour, uint16_t rate_hz)
{
    return slice->n_minutes == 1 && slice->minute / 60 == hour && slice->rate_hz == rate_hz;
}

/* The hour stands beside its minutes for a moment, then they go; if memory fails they stay. */
static void make_hour(struct profile_store *store, struct store_target *target, uint32_t hour,
                      uint16_t rate_hz)
{
    AUTO_ENTRY_LIST struct entry_list list = {0};
    struct slice *slice;

    for (size_t i = 0; i < target->n_slices; i++)
        if (is_minute_of(target->slices[i], hour, rate_hz) &&
            slice_list(target->slices[i], &list) < 0)
            return;
    slice = slice_new(&list, hour * 60, 60, rate_hz);
    if (!slice || store_target_keep_slice(store, target, slice) < 0) {
        free(slice);
        return;
    }
    for (size_t i = target->n_slices; i-- > 0;)
        if (is_minute_of(target->slices[i], hour, rate_hz))
            free(store_target_take_slice(store, target, i));
}

/* Going down, since a slice that goes has its place taken by one that was looked at already. */
static void age_target(struct profile_store *store, struct store_target *target, uint32_t oldest)
{
    for (size_t i = target->n_slices; i-- > 0;)
        if (slice_end(target->slices[i]) <= oldest)
            free(store_target_take_slice(store, target, i));
    for (size_t i = target->n_slices; i-- > 0;) {
        const struct slice *slice = i < target->n_slices ? target->slices[i] : NULL;

        if (slice && slice->n_minutes == 1 && slice->minute < store->minutes_from)
            make_hour(store, target, slice->minute / 60, slice->rate_hz);
    }
    if (target->first_ns < oldest * MINUTE_NS && target->last_ns >= oldest * MINUTE_NS)
        target->first_ns = oldest * MINUTE_NS;
}

uint32_t store_oldest(const struct profile_store *store)
{
    const uint32_t hour = store_minute_of(store->now_ns) / 60;

    return hour > STORE_HOURS_KEPT ? (hour - STORE_HOURS_KEPT) * 60 : 0;
}

void store_age(struct profile_store *store)
{
    const uint32_t hour = store_minute_of(store->now_ns) / 60;
    const uint32_t minutes_from = hour > 1 ? (hour - 1) * 60 : 0;

    if (minutes_from <= store->minutes_from)
        return;
    store->minutes_from = minutes_from;
    for (size_t i = 0; i < store->n_targets; i++)
        age_target(store, store->targets[i], store_oldest(store));
}

/* Where the oldest slice of a tenant stands. */
struct slice_place {
    uint32_t minute;
    uint32_t target;
    struct slice *slice;
};

static int by_minute(const void *a, const void *b)
{
    const struct slice_place *left = a, *right = b;

    return (left->minute > right->minute) - (left->minute < right->minute);
}

static void drop(struct profile_store *store, const struct slice_place *place)
{
    struct store_target *target = store->targets[place->target];

    for (size_t i = 0; i < target->n_slices; i++)
        if (target->slices[i] == place->slice) {
            free(store_target_take_slice(store, target, i));
            store->dropped_slices++;
            return;
        }
}

static void list_slices(const struct store_target *target, uint32_t number,
                        struct slice_place *places, size_t *n)
{
    for (size_t i = 0; i < target->n_slices; i++)
        places[(*n)++] = (struct slice_place){target->slices[i]->minute, number, target->slices[i]};
}

static void cut_tenant(struct profile_store *store, const struct store_tenant *tenant, size_t goal)
{
    AUTO_FREE struct slice_place *places = calloc(store->n_slices, sizeof(*places));
    size_t n = 0;

    if (!places)
        return;
    for (uint32_t i = 0; i < store->n_targets; i++)
        if (store->targets[i]->tenant == tenant)
            list_slices(store->targets[i], i, places, &n);
    qsort(places, n, sizeof(*places), by_minute);
    for (size_t i = 0; i < n && tenant->bytes > goal; i++)
        drop(store, &places[i]);
}

static size_t seven_eighths(size_t amount)
{
    return amount - amount / 8;
}

void store_bound_slices(struct profile_store *store)
{
    const size_t limit = store->limits.slice_bytes, most = share_of_one(limit);
    AUTO_FREE size_t *bytes = calloc(store->n_tenants + 1, sizeof(*bytes));
    size_t share = SIZE_MAX;

    if (!bytes)
        return;
    for (size_t i = 0; i < store->n_tenants; i++)
        bytes[i] = store->tenants[i]->bytes;
    if (store->slice_bytes > limit)
        share = fair_share(bytes, store->n_tenants, seven_eighths(limit));
    for (size_t i = 0; i < store->n_tenants; i++)
        if (bytes[i] > share)
            cut_tenant(store, store->tenants[i], share);
        else if (bytes[i] > most)
            cut_tenant(store, store->tenants[i], seven_eighths(most));
}
