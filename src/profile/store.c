/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is asked of the store for each sample, and each second. store_parts.h says what there is,
 * store_time.c what becomes of minutes, store_reclaim.c how room is made, and store_collect.c how
 * questions are answered.
 */
#include "profile/store.h"

#include <errno.h>

#include "profile/store_ended.h"
#include "profile/store_nodes.h"
#include "profile/store_reclaim.h"
#include "profile/store_targets.h"
#include "profile/store_time.h"

#define LATE_NS   UINT64_C(10000000000)  /* how late samples of a minute may come */
#define FUTURE_NS UINT64_C(120000000000) /* a sample that is further ahead has a false time */

static size_t at_least(size_t limit, size_t least)
{
    return limit > least ? limit : least;
}

/* The function, node and target that must be there always. */
static int make_first(struct profile_store *store)
{
    if (name_table_number(&store->names, PROFILE_NOTE, "", "(folded)") != STORE_FOLDED_FUNCTION ||
        trie_child(&store->trie, 0, STORE_FOLDED_FUNCTION) != STORE_FOLDED_NODE ||
        store_target_number(store, PROFILE_MACHINE, "") != STORE_MACHINE)
        return -ENOMEM;
    return 0;
}

struct profile_store *profile_store_new(const struct profile_limits *limits, unsigned rate_hz)
{
    AUTO(profile_store) struct profile_store *store = calloc(1, sizeof(*store));

    if (!store)
        return NULL;
    store->limits = *limits;
    store->limits.nodes = at_least(limits->nodes, STORE_NODES_LEAST);
    store->limits.functions = at_least(limits->functions, STORE_FUNCTIONS_LEAST);
    store->rate_hz = rate_hz;
    hash_key_draw(&store->hash_key);
    if (trie_init(&store->trie) < 0 || name_table_init(&store->names) < 0 ||
        recent_init(&store->recent, limits->recent) < 0 || make_first(store) < 0)
        return NULL;
    return TAKE(store);
}

struct profile_store *profile_store_free(struct profile_store *store)
{
    if (!store)
        return NULL;
    store_targets_done(store);
    trie_done(&store->trie);
    name_table_done(&store->names);
    recent_done(&store->recent);
    free(store);
    return NULL;
}

/* The minute that is open is closed, and goes on as another slice of the same minute. */
void profile_store_set_rate(struct profile_store *store, unsigned rate_hz)
{
    if (store->rate_hz == rate_hz)
        return;
    profile_store_close(store);
    recent_forget(&store->recent, store->latest_ns / 1000000 + 1);
    store->rate_hz = rate_hz;
}

static bool has_room_for_names(const struct profile_store *store)
{
    return store->names.n < store->limits.functions &&
           store->names.bytes < store->limits.functions * STORE_NAME_BYTES;
}

uint32_t profile_store_function(struct profile_store *store, enum profile_kind kind,
                                const char *owner, const char *name)
{
    uint32_t number = name_table_find(&store->names, kind, owner, name);

    if (number == NAME_NONE && has_room_for_names(store))
        number = name_table_add(&store->names, kind, owner, name, true);
    return number != NAME_NONE ? number : STORE_FOLDED_FUNCTION;
}

uint32_t profile_store_unnamed(struct profile_store *store, enum profile_kind kind,
                               const char *owner, const char *name)
{
    uint32_t number = NAME_NONE;

    if (has_room_for_names(store))
        number = name_table_add(&store->names, kind, owner, name, false);
    return number != NAME_NONE ? number : STORE_FOLDED_FUNCTION;
}

void profile_store_rename(struct profile_store *store, uint32_t function, const char *name)
{
    if (function < store->names.n && !store->names.is_hashed[function])
        (void)name_table_rename(&store->names, function, name);
}

uint64_t profile_store_generation(const struct profile_store *store)
{
    return store->generation;
}

uint32_t profile_store_target(struct profile_store *store, enum profile_scope scope,
                              const char *label)
{
    const uint32_t number = store_target_find(store, scope, label);

    if (number != STORE_NO_TARGET)
        return number;
    if (!store_target_has_room(store, scope, label)) {
        store->targets_refused = true;
        return STORE_NO_TARGET;
    }
    return store_target_number(store, scope, label);
}

/* The minute that a sample counts for; those of closed minutes count for the first open one. */
static uint32_t minute_for(struct profile_store *store, uint64_t time_ns)
{
    const uint32_t minute = store_minute_of(time_ns);

    if (minute > store->open_from + 1)
        store_close_minutes(store, minute - 1);
    return minute > store->open_from ? minute : store->open_from;
}

static bool is_false_time(const struct profile_store *store, uint64_t time_ns)
{
    return store->now_ns > 0 && time_ns > store->now_ns + FUTURE_NS;
}

static void note_time(struct profile_store *store, struct store_target *target, uint64_t time_ns)
{
    if (target->last_ns == 0 || time_ns < target->first_ns)
        target->first_ns = time_ns;
    if (time_ns > target->last_ns)
        target->last_ns = time_ns;
    target->samples++;
    if (time_ns < store->began_ns)
        store->began_ns = time_ns;
    if (time_ns > store->latest_ns)
        store->latest_ns = time_ns;
}

void profile_store_add(struct profile_store *store, uint32_t target, uint64_t time_ns,
                       const struct profile_stack *stack)
{
    struct store_target *whose = target < store->n_targets ? store->targets[target] : NULL;
    struct open_minute *open;
    uint32_t node;

    if (!whose)
        return;
    if (is_false_time(store, time_ns))
        time_ns = store->now_ns;
    store->adds_to_wait -= store->adds_to_wait > 0;
    node = store_node_of(store, whose->tenant, stack->functions, stack->n);
    open = store_target_open(whose, minute_for(store, time_ns));
    if (count_map_add(&open->counts, node, 1) < 0) {
        open->folded++;
        store->folded_samples++;
    }
    recent_add(&store->recent, time_ns / 1000000,
               &(struct recent_sample){.target = target, .node = node, .place = stack->place});
    note_time(store, whose, time_ns);
}

/* A clock that was set back by minutes begins anew: what is open belongs to the time before. */
static void close_what_is_over(struct profile_store *store, uint64_t now_ns)
{
    const uint32_t over = store_minute_of(now_ns > LATE_NS ? now_ns - LATE_NS : 0);

    if (store_minute_of(now_ns) + 1 < store->open_from) {
        store_close_minutes(store, UINT32_MAX);
        store->open_from = over;
        store->latest_ns = now_ns;
    } else if (over > store->open_from) {
        store_close_minutes(store, over);
    }
}

/* From when on the store has all samples: the first tick, or a sample before it. */
static void begin(struct profile_store *store, uint64_t now_ns)
{
    store->began_ns = now_ns;
    for (size_t i = 0; i < store->n_targets; i++)
        if (store->targets[i]->last_ns > 0 && store->targets[i]->first_ns < store->began_ns)
            store->began_ns = store->targets[i]->first_ns;
}

void profile_store_tick(struct profile_store *store, uint64_t now_ns)
{
    close_what_is_over(store, now_ns);
    if (store->began_ns == 0)
        begin(store, now_ns);
    store->now_ns = now_ns;
    if (now_ns > store->latest_ns)
        store->latest_ns = now_ns;
    store_age(store);
    if (store->slice_bytes > store->limits.slice_bytes / 4 * 3)
        store_bound_slices(store);
    store_reclaim_targets(store);
    store_reclaim_functions(store);
}

static size_t target_bytes(const struct store_target *target)
{
    size_t bytes = sizeof(*target) + strlen(target->key) + 1 + target->capacity * sizeof(void *);

    for (size_t i = 0; i < OPEN_MINUTES; i++)
        bytes += target->open[i].counts.n_entries * sizeof(struct slice_entry);
    return bytes;
}

void profile_store_figures(const struct profile_store *store, struct profile_figures *ret_figures)
{
    struct profile_figures figures = {
        .nodes = store->trie.n,
        .functions = store->names.n,
        .targets = store->n_targets,
        .slices = store->n_slices,
        .slice_bytes = store->slice_bytes,
        .folded_samples = store->folded_samples,
        .dropped_slices = store->dropped_slices,
    };

    figures.bytes = sizeof(*store) + trie_bytes(&store->trie) + name_table_bytes(&store->names) +
                    store->recent.capacity * sizeof(struct recent_sample) + store->slice_bytes;
    for (size_t i = 0; i < store->n_targets; i++)
        figures.bytes += target_bytes(store->targets[i]);
    *ret_figures = figures;
}

bool profile_store_list(const struct profile_store *store, size_t i,
                        struct profile_target_info *ret_info)
{
    const struct store_target *target;

    if (i >= store->n_targets)
        return false;
    target = store->targets[i];
    *ret_info = (struct profile_target_info){target->scope, store_target_label(target),
                                             target->first_ns, target->last_ns, target->samples};
    return true;
}

struct profile_times profile_store_times(const struct profile_store *store)
{
    return (struct profile_times){store->open_from, store->minutes_from, store_oldest(store)};
}

void profile_store_close(struct profile_store *store)
{
    const uint32_t open_from = store->open_from;

    store_close_minutes(store, UINT32_MAX);
    store->open_from = open_from;
}
