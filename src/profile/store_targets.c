/* SPDX-License-Identifier: Apache-2.0 */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (out_of_memory = true)
#include "profile/store_targets.h"

#include <errno.h>

#include "base/array.h"
#include "base/share.h"
#include "base/text.h"
#include "profile/cgroup_label.h"

static const char letters[] = {
    [PROFILE_MACHINE] = 'm', [PROFILE_CGROUP] = 'c', [PROFILE_PROCESSES] = 'p'};

/* A key lies in a text, since names of groups may be long. */
static void write_key(struct text *key, enum profile_scope scope, const char *label, size_t length)
{
    text_append_char(key, letters[scope]);
    text_append(key, label, length);
    text_append_char(key, '\0');
}

/* "%/a/…" belongs to the same tenant as "/a". */
static void write_tenant_key(struct text *key, enum profile_scope scope, const char *label)
{
    if (scope != PROFILE_CGROUP) {
        write_key(key, scope, label, strlen(label));
        return;
    }
    label += *label == '%';
    write_key(key, scope, label, cgroup_label_top(label));
}

static unsigned hash_of(const struct profile_store *store, const struct text *key)
{
    return (unsigned)keyed_hash(&store->hash_key, key->data, key->length);
}

static struct store_target *find_target(const struct profile_store *store, const struct text *key)
{
    struct store_target *target = NULL;

    HASH_FIND_BYHASHVALUE(hh, store->targets_by_key, key->data, key->length, hash_of(store, key),
                          target);
    return target;
}

static struct store_tenant *find_tenant(const struct profile_store *store, const struct text *key)
{
    struct store_tenant *tenant = NULL;

    HASH_FIND_BYHASHVALUE(hh, store->tenants_by_key, key->data, key->length, hash_of(store, key),
                          tenant);
    return tenant;
}

uint32_t store_target_find(const struct profile_store *store, enum profile_scope scope,
                           const char *label)
{
    AUTO_TEXT struct text key = {0};
    const struct store_target *target;

    write_key(&key, scope, label, strlen(label));
    target = text_error(&key) == 0 ? find_target(store, &key) : NULL;
    return target ? target->number : STORE_NO_TARGET;
}

static bool is_in(const struct store_target *target, const struct profile_range *range)
{
    if (range->own_only)
        return target->scope == range->scope &&
               strcmp(store_target_label(target), range->label) == 0;
    if (range->scope == PROFILE_MACHINE)
        return target->scope != PROFILE_PROCESSES;
    if (range->scope == PROFILE_CGROUP)
        return target->scope == PROFILE_CGROUP &&
               cgroup_label_contains(range->label, store_target_label(target));
    return target->scope == PROFILE_PROCESSES &&
           strcmp(store_target_label(target), range->label) == 0;
}

bool store_targets_in(const struct profile_store *store, const struct profile_range *range,
                      bool *ret_is_in)
{
    bool has_samples = false;

    for (size_t i = 0; i < store->n_targets; i++) {
        ret_is_in[i] = is_in(store->targets[i], range);
        has_samples |= ret_is_in[i] && store->targets[i]->last_ns > 0;
    }
    return has_samples;
}

static struct store_tenant *make_tenant(struct profile_store *store, const struct text *key)
{
    AUTO_FREE struct store_tenant *tenant = calloc(1, sizeof(*tenant) + key->length);
    void *grown = array_reserve(store->tenants, sizeof(struct store_tenant *),
                                &store->tenants_capacity, store->n_tenants + 1);
    bool out_of_memory = false;

    store->tenants = grown ? grown : store->tenants;
    if (!tenant || !grown)
        return NULL;
    memcpy(tenant->key, key->data, key->length);
    tenant->number = (uint32_t)store->n_tenants;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, store->tenants_by_key, tenant->key, key->length,
                                hash_of(store, key), tenant);
    if (out_of_memory)
        return NULL;
    store->tenants[store->n_tenants++] = tenant;
    return TAKE(tenant);
}

static struct store_tenant *tenant_of(struct profile_store *store, enum profile_scope scope,
                                      const char *label)
{
    AUTO_TEXT struct text key = {0};
    struct store_tenant *tenant;

    write_tenant_key(&key, scope, label);
    if (text_error(&key) < 0)
        return NULL;
    tenant = find_tenant(store, &key);
    return tenant ? tenant : make_tenant(store, &key);
}

/* Whoever fails here leaves a tenant without targets, which goes with the next ones that go. */
static uint32_t make_target(struct profile_store *store, enum profile_scope scope,
                            const char *label, const struct text *key)
{
    AUTO_FREE struct store_target *target = calloc(1, sizeof(*target) + key->length);
    void *grown = array_reserve(store->targets, sizeof(struct store_target *),
                                &store->targets_capacity, store->n_targets + 1);
    struct store_tenant *tenant = tenant_of(store, scope, label);
    bool out_of_memory = false;

    store->targets = grown ? grown : store->targets;
    if (!target || !grown || !tenant)
        return STORE_NO_TARGET;
    memcpy(target->key, key->data, key->length);
    target->scope = scope;
    target->tenant = tenant;
    target->number = (uint32_t)store->n_targets;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, store->targets_by_key, target->key, key->length,
                                hash_of(store, key), target);
    if (out_of_memory)
        return STORE_NO_TARGET;
    tenant->targets++;
    store->targets[store->n_targets++] = TAKE(target);
    return (uint32_t)(store->n_targets - 1);
}

uint32_t store_target_number(struct profile_store *store, enum profile_scope scope,
                             const char *label)
{
    AUTO_TEXT struct text key = {0};
    const struct store_target *target;

    write_key(&key, scope, label, strlen(label));
    if (text_error(&key) < 0)
        return STORE_NO_TARGET;
    target = find_target(store, &key);
    return target ? target->number : make_target(store, scope, label, &key);
}

bool store_target_has_room(const struct profile_store *store, enum profile_scope scope,
                           const char *label)
{
    AUTO_TEXT struct text key = {0};
    const struct store_tenant *tenant;

    write_tenant_key(&key, scope, label);
    tenant = text_error(&key) == 0 ? find_tenant(store, &key) : NULL;
    return store->n_targets - 1 < store->limits.targets && /* less the machine */
           (!tenant || tenant->targets < share_of_one(store->limits.targets));
}

static void free_target(struct store_target *target)
{
    for (size_t i = 0; i < target->n_slices; i++)
        free(target->slices[i]);
    for (size_t i = 0; i < OPEN_MINUTES; i++)
        count_map_done(&target->open[i].counts);
    free(target->slices);
    free(target);
}

static void remove_target(struct profile_store *store, struct store_target *target)
{
    target->tenant->targets--;
    while (target->n_slices > 0)
        free(store_target_take_slice(store, target, 0));
    HASH_DEL(store->targets_by_key, target);
    free_target(target);
}

static void remove_tenant(struct profile_store *store, struct store_tenant *tenant)
{
    HASH_DEL(store->tenants_by_key, tenant);
    free(tenant);
}

/* Nodes are charged to nobody until garbage is collected, which finds out whose they are. */
static void keep_tenants(struct profile_store *store)
{
    uint32_t n = 0;

    for (size_t i = 0; i < store->trie.n; i++)
        store->trie.nodes[i].tenant = TRIE_NONE;
    for (size_t i = 0; i < store->n_tenants; i++) {
        struct store_tenant *tenant = store->tenants[i];

        if (tenant->targets == 0) {
            remove_tenant(store, tenant);
            continue;
        }
        tenant->nodes = 0;
        tenant->number = n;
        store->tenants[n++] = tenant;
    }
    store->n_tenants = n;
}

void store_targets_keep(struct profile_store *store, uint32_t *ret_map)
{
    uint32_t n = 0;

    for (size_t i = 0; i < store->n_targets; i++) {
        if (ret_map[i] == STORE_NO_TARGET) {
            remove_target(store, store->targets[i]);
            continue;
        }
        ret_map[i] = n;
        store->targets[i]->number = n;
        store->targets[n++] = store->targets[i];
    }
    store->n_targets = n;
    keep_tenants(store);
}

void store_targets_done(struct profile_store *store)
{
    HASH_CLEAR(hh, store->targets_by_key);
    HASH_CLEAR(hh, store->tenants_by_key);
    for (size_t i = 0; i < store->n_targets; i++)
        free_target(store->targets[i]);
    for (size_t i = 0; i < store->n_tenants; i++)
        free(store->tenants[i]);
    free(store->targets);
    free(store->tenants);
}

struct open_minute *store_target_open(struct store_target *target, uint32_t minute)
{
    struct open_minute *unused = NULL, *latest = &target->open[0];

    for (size_t i = 0; i < OPEN_MINUTES; i++) {
        struct open_minute *open = &target->open[i];

        if (open_minute_is_empty(open)) {
            unused = open;
            continue;
        }
        if (open->minute == minute)
            return open;
        if (open->minute > latest->minute)
            latest = open;
    }
    if (!unused)
        return latest; /* there was no memory to close a minute, which goes on then */
    unused->minute = minute;
    return unused;
}

int store_target_keep_slice(struct profile_store *store, struct store_target *target,
                            struct slice *slice)
{
    struct slice **grown = array_reserve(target->slices, sizeof(struct slice *), &target->capacity,
                                         target->n_slices + 1);

    if (!grown)
        return -ENOMEM;
    target->slices = grown;
    target->slices[target->n_slices++] = slice;
    target->tenant->bytes += slice_size(slice);
    store->slice_bytes += slice_size(slice);
    store->n_slices++;
    return 0;
}

struct slice *store_target_take_slice(struct profile_store *store, struct store_target *target,
                                      size_t at)
{
    struct slice *slice = target->slices[at];

    target->slices[at] = target->slices[--target->n_slices];
    target->tenant->bytes -= slice_size(slice);
    store->slice_bytes -= slice_size(slice);
    store->n_slices--;
    return slice;
}
