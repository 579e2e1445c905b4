/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_ended.h"

#include <string.h>

#include "base/share.h"
#include "profile/cgroup_label.h"
#include "profile/store_reclaim.h"
#include "profile/store_targets.h"

static bool is_running(const struct store_target *target)
{
    return !open_minute_is_empty(&target->open[0]) || !open_minute_is_empty(&target->open[1]);
}

static bool is_top(const struct store_target *target)
{
    return cgroup_label_parent(store_target_label(target)) == 0;
}

/*
 * The number of the nearest cgroup above that is a target. If there is none it is the top-level
 * cgroup, which is made: with one for each that goes, nothing would be gained.
 */
static uint32_t target_above(struct profile_store *store, const struct store_target *target)
{
    AUTO_FREE char *label = strdup(store_target_label(target));
    uint32_t above = STORE_NO_TARGET;
    size_t length;

    if (!label)
        return STORE_NO_TARGET;
    if (is_top(target))
        return STORE_MACHINE;
    while (above == STORE_NO_TARGET && (length = cgroup_label_parent(label)) > 0) {
        label[length] = '\0';
        above = store_target_find(store, PROFILE_CGROUP, label);
    }
    return above != STORE_NO_TARGET ? above : store_target_number(store, PROFILE_CGROUP, label);
}

/* Slices of the same minute may stand beside each other: who adds them up does not mind. */
static bool move_slices(struct profile_store *store, struct store_target *from,
                        struct store_target *to)
{
    while (from->n_slices > 0) {
        struct slice *slice = store_target_take_slice(store, from, from->n_slices - 1);

        if (store_target_keep_slice(store, to, slice) < 0) {
            (void)store_target_keep_slice(store, from, slice); /* its place is still there */
            return false;
        }
    }
    if (from->first_ns < to->first_ns || to->last_ns == 0)
        to->first_ns = from->first_ns;
    if (from->last_ns > to->last_ns)
        to->last_ns = from->last_ns;
    return true;
}

static void give_recent(struct profile_store *store, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < store->recent.n; i++)
        if (store->recent.samples[i].target == from)
            store->recent.samples[i].target = to;
}

/* Whether the target has nothing any more. Whoever gets something stays. */
static bool give_away(struct profile_store *store, uint32_t number, uint32_t *numbers)
{
    struct store_target *target = store->targets[number];
    uint32_t above;

    if (target->scope == PROFILE_PROCESSES) {
        store->dropped_slices += target->n_slices;
        give_recent(store, number, RECENT_NO_TARGET);
        return true;
    }
    above = target_above(store, target);
    if (above == STORE_NO_TARGET || !move_slices(store, target, store->targets[above]))
        return false;
    give_recent(store, number, above);
    numbers[above] = 0;
    return true;
}

struct ended {
    uint64_t last_ns;
    uint32_t target;
};

static int by_end(const void *a, const void *b)
{
    const struct ended *left = a, *right = b;

    return (left->last_ns > right->last_ns) - (left->last_ns < right->last_ns);
}

static size_t list_ended(const struct profile_store *store, struct ended *ended)
{
    size_t n = 0;

    for (uint32_t i = STORE_MACHINE + 1; i < store->n_targets; i++)
        if (!is_running(store->targets[i]))
            ended[n++] = (struct ended){store->targets[i]->last_ns, i};
    qsort(ended, n, sizeof(*ended), by_end);
    return n;
}

/*
 * More than three quarters are taken, or by its tenant three quarters of its share. A top-level
 * cgroup, which has what others have left, stays as long as there are others.
 */
static bool has_to_go(const struct profile_store *store, const struct store_target *target,
                      size_t n_left, size_t n_of_tenant)
{
    const size_t limit = store->limits.targets, most = share_of_one(limit);

    if (target->scope == PROFILE_CGROUP && is_top(target) && n_of_tenant > 1)
        return false;
    return n_left > limit - limit / 4 || n_of_tenant > most - most / 4;
}

/* Sets numbers[target] to STORE_NO_TARGET for those that go. left: of each tenant. */
static void let_go(struct profile_store *store, const struct ended *ended, size_t n,
                   uint32_t *numbers, size_t *left)
{
    size_t n_left = store->n_targets;

    for (size_t i = 0; i < n; i++) {
        const struct store_target *target = store->targets[ended[i].target];
        size_t *of_tenant = &left[target->tenant->number];

        if (ended[i].last_ns > 0 && !has_to_go(store, target, n_left, *of_tenant))
            continue;
        if (!give_away(store, ended[i].target, numbers))
            return;
        numbers[ended[i].target] = STORE_NO_TARGET;
        (*of_tenant)--;
        n_left--;
    }
}

static void remove_targets(struct profile_store *store, uint32_t *numbers)
{
    store_targets_keep(store, numbers);
    for (size_t i = 0; i < store->recent.n; i++) {
        struct recent_sample *sample = &store->recent.samples[i];

        if (sample->target != RECENT_NO_TARGET)
            sample->target = numbers[sample->target];
    }
    store->generation++;
    (void)store_collect_garbage(store); /* it finds out whose nodes are now */
}

static bool is_needed(const struct profile_store *store)
{
    return store->targets_refused ||
           store->n_targets > store->limits.targets - store->limits.targets / 8;
}

void store_reclaim_targets(struct profile_store *store)
{
    AUTO_FREE struct ended *ended = NULL;
    AUTO_FREE uint32_t *numbers = NULL;
    AUTO_FREE size_t *left = NULL;
    const size_t n_before = store->n_targets;
    size_t n;

    if (!is_needed(store))
        return;
    ended = calloc(n_before, sizeof(*ended));
    numbers = calloc(2 * n_before, sizeof(*numbers)); /* some are made for what others leave */
    left = calloc(store->n_tenants, sizeof(*left));
    if (!ended || !numbers || !left)
        return;
    store->targets_refused = false;
    for (size_t i = 0; i < store->n_tenants; i++)
        left[i] = store->tenants[i]->targets;
    n = list_ended(store, ended);
    let_go(store, ended, n, numbers, left);
    for (size_t i = 0; i < n_before; i++)
        if (numbers[i] == STORE_NO_TARGET) {
            remove_targets(store, numbers);
            return;
        }
}
