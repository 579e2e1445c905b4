/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Takes in what store_pack.c has written. It was kept in a file, so nothing of it is trusted: each
 * number is checked before it is used, and no more memory is taken than there are bytes to read.
 * While it is read no node changes its number, so no room is made (store_nodes.h).
 */
#include <errno.h>

#include "base/utf8.h"
#include "profile/packed.h"
#include "profile/store_nodes.h"
#include "profile/store_targets.h"
#include "profile/store_time.h"

struct packed_node {
    uint32_t parent, function;
    uint32_t node; /* of the store, once it is known; TRIE_NONE: not yet, or there is no room */
};

struct unpacking {
    struct profile_store *store;
    struct varint_reader reader;
    uint32_t *functions;       /* from 1 on: those of the store */
    struct packed_node *nodes; /* from 1 on; 0 is the root */
    size_t n_functions, n_nodes;
};

static void unpacking_done(struct unpacking *unpacking)
{
    free(unpacking->functions);
    free(unpacking->nodes);
}
#define AUTO_UNPACKING __attribute__((cleanup(unpacking_done)))

/* A label as it is. NULL: no memory, or it is none; then what is read is bad. */
static char *take_label(struct varint_reader *reader)
{
    size_t n, length;
    const char *bytes = packed_take_bytes(reader, &n);
    uint32_t code;

    for (size_t i = 0; i < n; i += length) {
        length = utf8_decode(bytes + i, n - i, &code);
        if (length == 0 || code == 0) {
            reader->is_bad = true;
            return NULL;
        }
    }
    return strndup(bytes, n);
}

static int take_functions(struct unpacking *unpacking)
{
    struct varint_reader *reader = &unpacking->reader;

    unpacking->n_functions = packed_take_count(reader);
    unpacking->functions = calloc(unpacking->n_functions + 1, sizeof(*unpacking->functions));
    if (!unpacking->functions)
        return -ENOMEM;
    for (size_t i = 1; i <= unpacking->n_functions && !reader->is_bad; i++) {
        const enum profile_kind kind = (enum profile_kind)packed_take(reader, 0, PROFILE_NOTE);
        AUTO_FREE char *owner = packed_take_name(reader), *name = packed_take_name(reader);

        if (!owner || !name)
            return -ENOMEM;
        unpacking->functions[i] = profile_store_function(unpacking->store, kind, owner, name);
    }
    return reader->is_bad ? -EBADMSG : 0;
}

static int take_nodes(struct unpacking *unpacking)
{
    struct varint_reader *reader = &unpacking->reader;

    unpacking->n_nodes = packed_take_count(reader);
    unpacking->nodes = calloc(unpacking->n_nodes + 1, sizeof(*unpacking->nodes));
    if (!unpacking->nodes)
        return -ENOMEM;
    for (size_t i = 1; i <= unpacking->n_nodes && !reader->is_bad; i++)
        unpacking->nodes[i] = (struct packed_node){
            .parent = (uint32_t)(i - packed_take(reader, 1, i)),
            .function = (uint32_t)packed_take(reader, 1, unpacking->n_functions),
            .node = TRIE_NONE};
    return reader->is_bad ? -EBADMSG : 0;
}

/*
 * The node of the store, which is made if there is room; else TRIE_NONE, and *ret_above is the
 * nearest node above it that is there. It goes up to one that is known, and down again from there.
 */
static uint32_t find_node(struct unpacking *unpacking, struct store_tenant *tenant, uint32_t number,
                          uint32_t *ret_above)
{
    struct packed_node *nodes = unpacking->nodes;
    uint32_t path[UINT8_MAX + 1], node;
    size_t n = 0;

    for (; number > 0 && nodes[number].node == TRIE_NONE && n <= UINT8_MAX;
         number = nodes[number].parent)
        path[n++] = number;
    *ret_above = nodes[number].node;
    if (number > 0 && nodes[number].node == TRIE_NONE) { /* no stack is as deep */
        unpacking->reader.is_bad = true;
        return TRIE_NONE;
    }
    for (node = *ret_above; n > 0 && node != TRIE_NONE; node = nodes[path[n]].node) {
        *ret_above = node;
        n--;
        nodes[path[n]].node = store_node_child(unpacking->store, tenant, node,
                                               unpacking->functions[nodes[path[n]].function]);
    }
    return node;
}

/* Adds an entry to a list that has room for it. */
static void add_entry(struct unpacking *unpacking, struct store_tenant *tenant, uint32_t number,
                      uint32_t count, struct entry_list *list)
{
    uint32_t above, node = find_node(unpacking, tenant, number, &above);

    if (node == TRIE_NONE)
        node = store_node_folded(unpacking->store, above, count);
    list->entries[list->n++] = (struct slice_entry){node, count};
}

/* tenant: NULL if nobody wants them. */
static int take_entries(struct unpacking *unpacking, struct store_tenant *tenant,
                        struct entry_list *list, uint64_t *ret_samples)
{
    struct varint_reader *reader = &unpacking->reader;
    const size_t n = packed_take_count(reader);
    uint64_t number = 0, count;

    if (entry_list_reserve(list, n) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < n && !reader->is_bad; i++) {
        number += packed_take(reader, i > 0, unpacking->n_nodes - number);
        count = packed_take(reader, 1, UINT32_MAX);
        if (!reader->is_bad && tenant)
            add_entry(unpacking, tenant, (uint32_t)number, (uint32_t)count, list);
        *ret_samples += count;
    }
    return reader->is_bad ? -EBADMSG : 0;
}

static void note_times(const struct profile_store *store, struct store_target *target,
                       const struct slice *slice, uint64_t samples)
{
    const uint64_t first_ns = slice->minute * MINUTE_NS, end_ns = slice_end(slice) * MINUTE_NS - 1;
    const uint64_t last_ns = end_ns < store->latest_ns ? end_ns : store->latest_ns;

    if (target->last_ns == 0 || first_ns < target->first_ns)
        target->first_ns = first_ns;
    if (last_ns > target->last_ns)
        target->last_ns = last_ns;
    target->samples += samples;
}

static int take_slice(struct unpacking *unpacking)
{
    struct profile_store *store = unpacking->store;
    struct varint_reader *reader = &unpacking->reader;
    const enum profile_scope scope = (enum profile_scope)packed_take(reader, 0, PROFILE_PROCESSES);
    AUTO_FREE char *label = take_label(reader);
    const uint32_t minute = (uint32_t)packed_take(reader, 0, UINT32_MAX - 60);
    const uint16_t n_minutes = (uint16_t)packed_take(reader, 1, 60);
    const uint16_t rate_hz = (uint16_t)packed_take(reader, 1, UINT16_MAX);
    AUTO_ENTRY_LIST struct entry_list list = {0};
    struct store_target *target = NULL;
    struct slice *slice;
    uint32_t number = STORE_NO_TARGET;
    uint64_t samples = 0;
    int r;

    if (reader->is_bad || (n_minutes != 1 && (n_minutes != 60 || minute % 60 != 0)))
        return -EBADMSG;
    if (!label)
        return -ENOMEM;
    if (minute <= store_minute_of(store->latest_ns) && (scope != PROFILE_MACHINE || !*label))
        number = profile_store_target(store, scope, label);
    if (number != STORE_NO_TARGET)
        target = store->targets[number];
    r = take_entries(unpacking, target ? target->tenant : NULL, &list, &samples);
    if (r < 0 || !target) {
        store->dropped_slices++;
        return r;
    }
    slice = slice_new(&list, minute, n_minutes, rate_hz);
    if (!slice || store_target_keep_slice(store, target, slice) < 0) {
        free(slice);
        return -ENOMEM;
    }
    note_times(store, target, slice, samples);
    return 0;
}

/* What comes in was not sampled here: the ring, which has it not, begins with the store. */
static void limit_recent(struct profile_store *store)
{
    const uint64_t began_ms = store->began_ns / 1000000;

    if (store->recent.whole_from_ms < began_ms)
        store->recent.whole_from_ms = began_ms;
}

int profile_store_unpack(struct profile_store *store, const void *bytes, size_t n)
{
    const unsigned char *begin = bytes;
    struct unpacking unpacking AUTO_UNPACKING = {.store = store, .reader = {begin, begin + n}};
    size_t n_slices;
    int r;

    if (packed_take(&unpacking.reader, STORE_PACKED_VERSION, STORE_PACKED_VERSION) == 0)
        return -EBADMSG;
    limit_recent(store);
    r = take_functions(&unpacking);
    if (r == 0)
        r = take_nodes(&unpacking);
    n_slices = packed_take_count(&unpacking.reader);
    for (size_t i = 0; i < n_slices && r == 0; i++)
        r = take_slice(&unpacking);
    return r < 0 ? r : unpacking.reader.is_bad ? -EBADMSG : 0;
}
