/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_ended.h"

#include "base/share.h"
#include "base/text.h"
#include "profile/cgroup_label.h"
#include "profile/store_reclaim.h"
#include "profile/store_targets.h"

static bool is_running(const struct store_target *target)
{
    return !open_minute_is_empty(&target->open[0]) || !open_minute_is_empty(&target->open[1]);
}

/* The number of the cgroup above, which is made if need be. */
static uint32_t target_above(struct profile_store *store, const struct store_target *target)
{
    AUTO_TEXT struct text label = {0};
    AUTO_FREE char *above = NULL;
    const size_t length = cgroup_label_parent(store_target_label(target));

    if (length == 0)
        return STORE_MACHINE;
    text_append(&label, store_target_label(target), length);
    above = text_take(&label);
    return above ? store_target_number(store, PROFILE_CGROUP, above) : STORE_MACHINE;
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

/* There, more than three quarters are taken, or by one tenant three quarters of its share. */
static bool is_crowded(const struct profile_store *store, const struct store_target *target,
                       size_t n_left)
{
    const size_t limit = store->limits.targets, most = share_of_one(limit);

    return n_left > limit - limit / 4 || target->tenant->targets > most - most / 4;
}

/* Sets numbers[target] to STORE_NO_TARGET for those that go. */
static void let_go(struct profile_store *store, const struct ended *ended, size_t n,
                   uint32_t *numbers)
{
    size_t n_left = store->n_targets;

    for (size_t i = 0; i < n; i++) {
        const struct store_target *target = store->targets[ended[i].target];

        if (ended[i].last_ns > 0 && !is_crowded(store, target, n_left))
            continue;
        if (!give_away(store, ended[i].target, numbers))
            return;
        numbers[ended[i].target] = STORE_NO_TARGET;
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
    const size_t n_before = store->n_targets;
    size_t n;

    if (!is_needed(store))
        return;
    ended = calloc(n_before, sizeof(*ended));
    numbers = calloc(2 * n_before, sizeof(*numbers)); /* some are made for what others leave */
    if (!ended || !numbers)
        return;
    store->targets_refused = false;
    n = list_ended(store, ended);
    let_go(store, ended, n, numbers);
    for (size_t i = 0; i < n_before; i++)
        if (numbers[i] == STORE_NO_TARGET) {
            remove_targets(store, numbers);
            return;
        }
}
