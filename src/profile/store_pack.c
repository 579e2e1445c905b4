/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is packed: a version (store_parts.h), then functions (kind, owner, name), nodes (how far
 * away the parent is, and the function), and slices (whose, when, at which rate, and nodes as
 * distances from each other with their counts). All numbers are those of base/varint.h. Functions
 * and nodes are those that the slices need, numbered anew from 1 on; node 0 is the root.
 */
#include <errno.h>

#include "profile/packed.h"
#include "profile/store_targets.h"
#include "profile/store_time.h"

struct packing {
    const struct profile_store *store;
    uint32_t minute, end;
    uint32_t *nodes;     /* [node]: its number; 0: it is not needed */
    uint32_t *functions; /* [function]: likewise */
    uint32_t *order;     /* the functions that are needed, by number */
    uint32_t n_nodes, n_functions, n_slices;
    struct text *bytes;
};

static void packing_done(struct packing *packing)
{
    free(packing->nodes);
    free(packing->functions);
    free(packing->order);
}
#define AUTO_PACKING __attribute__((cleanup(packing_done)))

static bool is_wanted(const struct packing *packing, const struct slice *slice)
{
    return slice->minute >= packing->minute && slice->minute < packing->end;
}

static void each_slice(struct packing *packing,
                       void (*visit)(struct packing *packing, const struct store_target *target,
                                     const struct slice *slice))
{
    const struct profile_store *store = packing->store;

    for (size_t i = 0; i < store->n_targets; i++)
        for (size_t j = 0; j < store->targets[i]->n_slices; j++)
            if (is_wanted(packing, store->targets[i]->slices[j]))
                visit(packing, store->targets[i], store->targets[i]->slices[j]);
}

static void mark_slice(struct packing *packing, const struct store_target *target,
                       const struct slice *slice)
{
    struct slice_reader reader = slice_read(slice);
    struct slice_entry entry;

    (void)target;
    while (slice_next(&reader, &entry))
        packing->nodes[entry.node] = 1;
    packing->n_slices++;
}

/* Parents stand before their children. */
static void number_all(struct packing *packing)
{
    const struct trie *trie = &packing->store->trie;

    for (size_t i = trie->n; i-- > 1;)
        if (packing->nodes[i])
            packing->nodes[trie->nodes[i].parent] = 1;
    packing->nodes[0] = 0;
    for (size_t i = 1; i < trie->n; i++) {
        uint32_t *const function = &packing->functions[trie->nodes[i].function];

        if (!packing->nodes[i])
            continue;
        packing->nodes[i] = ++packing->n_nodes;
        if (*function == 0) {
            packing->order[packing->n_functions] = trie->nodes[i].function;
            *function = ++packing->n_functions;
        }
    }
}

static void put_functions(const struct packing *packing)
{
    varint_put(packing->bytes, packing->n_functions);
    for (size_t i = 0; i < packing->n_functions; i++) {
        const struct profile_function_name *function =
            &packing->store->names.names[packing->order[i]];

        varint_put(packing->bytes, function->kind);
        packed_put_string(packing->bytes, function->owner);
        packed_put_string(packing->bytes, function->name);
    }
}

static void put_nodes(const struct packing *packing)
{
    const struct trie *trie = &packing->store->trie;

    varint_put(packing->bytes, packing->n_nodes);
    for (size_t i = 1; i < trie->n; i++)
        if (packing->nodes[i]) {
            varint_put(packing->bytes, packing->nodes[i] - packing->nodes[trie->nodes[i].parent]);
            varint_put(packing->bytes, packing->functions[trie->nodes[i].function]);
        }
}

static void put_slice(struct packing *packing, const struct store_target *target,
                      const struct slice *slice)
{
    struct slice_reader reader = slice_read(slice);
    struct slice_entry entry;
    uint32_t before = 0;

    varint_put(packing->bytes, target->scope);
    packed_put_string(packing->bytes, store_target_label(target));
    varint_put(packing->bytes, slice->minute);
    varint_put(packing->bytes, slice->n_minutes);
    varint_put(packing->bytes, slice->rate_hz);
    varint_put(packing->bytes, slice->n_entries);
    while (slice_next(&reader, &entry)) {
        varint_put(packing->bytes, packing->nodes[entry.node] - before);
        varint_put(packing->bytes, entry.count);
        before = packing->nodes[entry.node];
    }
}

int profile_store_pack(const struct profile_store *store, uint32_t minute, uint32_t end,
                       struct text *bytes)
{
    struct packing packing AUTO_PACKING = {
        .store = store,
        .minute = minute,
        .end = end,
        .nodes = calloc(store->trie.n, sizeof(uint32_t)),
        .functions = calloc(store->names.n, sizeof(uint32_t)),
        .order = calloc(store->names.n, sizeof(uint32_t)),
        .bytes = bytes,
    };

    if (!packing.nodes || !packing.functions || !packing.order)
        return -ENOMEM;
    each_slice(&packing, mark_slice);
    if (packing.n_slices == 0)
        return 0;
    number_all(&packing);
    varint_put(bytes, STORE_PACKED_VERSION);
    put_functions(&packing);
    put_nodes(&packing);
    varint_put(bytes, packing.n_slices);
    each_slice(&packing, put_slice);
    return text_error(bytes);
}
