/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The map is read in batches, which hash maps have since Linux 5.6: a system call for some hundred
 * cells. A batch ends between two buckets of the hash, so that each key that is there the whole
 * time is read once. One that comes meanwhile may be read the next time.
 */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (out_of_memory = true)

#include "sys/bpf/keyed_table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Slots, devices and calls are small numbers that nobody chooses: to spread them is enough. */
static inline uint32_t hash_of(const struct keyed_key *key)
{
    const uint64_t both = key->subject ^ ((uint64_t)key->slot << 32 | key->detail);

    return (uint32_t)(both * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

#define HASH_FUNCTION(bytes, length, hash) ((hash) = hash_of(bytes))
#include <uthash.h>

/* A batch has room for this many cells: more than ever stand in one bucket of the hash. */
#define BATCH 512

/* A cell as it was read last. */
struct known_cell {
    struct keyed_key key;
    struct keyed_cell cell;
    UT_hash_handle by_key;
};

struct batch {
    struct keyed_key keys[BATCH];
    struct keyed_cell cells[BATCH];
    uint32_t n;
};

struct keyed_table {
    int map;
    struct known_cell *known;
    struct batch *batch;
    struct keyed_place *places;      /* in front of the map; NULL: there are none */
    struct keyed_place *read_places; /* as they were read last */
    size_t n_places;
};

int keyed_table_new(int map_fd, struct keyed_table **ret_table)
{
    AUTO(keyed_table) struct keyed_table *table = calloc(1, sizeof(*table));

    if (!table)
        return -ENOMEM;
    table->map = map_fd;
    table->batch = malloc(sizeof(*table->batch));
    if (!table->batch)
        return -ENOMEM;
    *ret_table = TAKE(table);
    return 0;
}

static void forget(struct keyed_table *table, struct known_cell *known)
{
    HASH_DELETE(by_key, table->known, known);
    free(known);
}

struct keyed_table *keyed_table_free(struct keyed_table *table)
{
    struct known_cell *known, *next;

    if (!table)
        return NULL;
    HASH_ITER(by_key, table->known, known, next)
        forget(table, known);
    free(table->read_places);
    free(table->batch);
    free(table);
    return NULL;
}

int keyed_table_add_places(struct keyed_table *table, struct keyed_place *places, size_t n)
{
    table->read_places = calloc(n, sizeof(*table->read_places));
    if (!table->read_places)
        return -ENOMEM;
    table->places = places;
    table->n_places = n;
    return 0;
}

/* What was read last of a key; zeros, if it is new. NULL: no memory. */
static struct known_cell *find_or_add(struct keyed_table *table, const struct keyed_key *key)
{
    struct known_cell *known;
    bool out_of_memory = false;

    HASH_FIND(by_key, table->known, key, sizeof(*key), known);
    if (known)
        return known;
    known = calloc(1, sizeof(*known));
    if (!known)
        return NULL;
    known->key = *key;
    HASH_ADD(by_key, table->known, key, sizeof(known->key), known);
    if (!out_of_memory)
        return known;
    free(known);
    return NULL;
}

static struct keyed_delta difference(const struct keyed_cell *now, const struct keyed_cell *before)
{
    struct keyed_delta delta;

    for (size_t i = 0; i < KEYED_TALLIES; i++)
        delta.tallies[i] = now->tallies[i] - before->tallies[i];
    for (size_t i = 0; i < KEYED_DISTRIBUTIONS; i++) {
        delta.sums_ns[i] = now->sums_ns[i] - before->sums_ns[i];
        for (size_t j = 0; j < KEYED_BUCKETS; j++)
            delta.buckets[i][j] = (uint32_t)(now->buckets[i][j] - before->buckets[i][j]);
    }
    return delta;
}

/* Tells what was added to a cell. 0 or -ENOMEM. */
static int tell(struct keyed_table *table, const struct keyed_key *key,
                const struct keyed_cell *cell, keyed_take *take, void *context)
{
    struct known_cell *known = find_or_add(table, key);
    struct keyed_delta delta;

    if (!known)
        return -ENOMEM;
    if (memcmp(&known->cell, cell, sizeof(*cell)) == 0)
        return 0;
    delta = difference(cell, &known->cell);
    known->cell = *cell;
    take(context, key, &delta);
    return 0;
}

/* Tells of the cells of the batch. The first that fails ends it. */
static int tell_batch(struct keyed_table *table, keyed_take *take, void *context)
{
    const struct batch *batch = table->batch;
    int r = 0;

    for (uint32_t i = 0; i < batch->n && r >= 0; i++)
        r = tell(table, &batch->keys[i], &batch->cells[i], take, context);
    return r;
}

/* Tells of all cells of the map. 0 or -errno. */
static int tell_all(struct keyed_table *table, keyed_take *take, void *context)
{
    uint32_t place, *from = NULL;
    int last = 0, r = 0;

    while (last >= 0 && r >= 0) {
        table->batch->n = BATCH;
        last = bpf_map_lookup_batch(table->map, from, &place, table->batch->keys,
                                    table->batch->cells, &table->batch->n, NULL);
        if (last < 0 && last != -ENOENT) /* that is the end, with what there was */
            return last;
        r = tell_batch(table, take, context);
        from = &place;
    }
    return r;
}

/* Whether somebody has the place, whose key that is. */
static bool is_taken(const struct keyed_place *place, struct keyed_key *ret_key)
{
    const uint64_t key = __atomic_load_n(&place->key, __ATOMIC_ACQUIRE);

    *ret_key =
        (struct keyed_key){.slot = (uint32_t)((key - 1) >> 32), .subject = (uint32_t)(key - 1)};
    return key != 0;
}

/* Tells what was added to places. */
static void tell_places(struct keyed_table *table, keyed_take *take, void *context)
{
    for (size_t i = 0; i < table->n_places; i++) {
        struct keyed_place *before = &table->read_places[i];
        struct keyed_delta delta = {0};
        struct keyed_key key;
        uint64_t added = 0;

        if (!is_taken(&table->places[i], &key))
            continue;
        for (size_t tally = 0; tally < KEYED_TALLIES; tally++) {
            const uint64_t now =
                __atomic_load_n(&table->places[i].tallies[tally], __ATOMIC_RELAXED);

            delta.tallies[tally] = now - before->tallies[tally];
            before->tallies[tally] = now;
            added |= delta.tallies[tally];
        }
        if (added)
            take(context, &key, &delta);
    }
}

/* A place of nobody counts from zero again. */
static void free_places(struct keyed_table *table, keyed_is_given_up *is_given_up,
                        const void *context)
{
    for (size_t i = 0; i < table->n_places; i++) {
        struct keyed_place *place = &table->places[i];
        struct keyed_key key;

        if (!is_taken(place, &key) || !is_given_up(context, key.slot))
            continue;
        memset(place->tallies, 0, sizeof(place->tallies));
        table->read_places[i] = (struct keyed_place){0};
        __atomic_store_n(&place->key, 0, __ATOMIC_RELEASE);
    }
}

int keyed_table_read(struct keyed_table *table, keyed_take *take, void *context)
{
    tell_places(table, take, context);
    return tell_all(table, take, context);
}

int keyed_table_forget(struct keyed_table *table, keyed_is_given_up *is_given_up,
                       const void *context)
{
    struct known_cell *known, *next;

    free_places(table, is_given_up, context);
    HASH_ITER(by_key, table->known, known, next) {
        int r = 0;

        if (!is_given_up(context, known->key.slot))
            continue;
        r = bpf_map_delete_elem(table->map, &known->key);
        if (r < 0 && r != -ENOENT)
            return r;
        forget(table, known);
    }
    return 0;
}
