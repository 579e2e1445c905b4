/* SPDX-License-Identifier: Apache-2.0 */

/*
 * All cells that have ever been used are compared with what they were: that takes less than to be
 * told which have changed. What a cell has is asked for first, and only where it has something new,
 * whose it is. That is asked once in the life of a key, and of the kernel: a program writes the key
 * into the cell before it takes the cell into use, but nothing promises that we see it in that
 * order; and another CPU may have been quicker to give the key a cell, so that this one is free
 * again and only looks as if it were the key's.
 */
#include "sys/bpf/keyed_table.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sys/bpf/values.h"

/* What a cell has. It is read by words, so that each of its numbers is whole. */
union numbers {
    struct keyed_counts counts;
    uint64_t words[sizeof(struct keyed_counts) / sizeof(uint64_t)];
};

/* A cell as it was read last. */
struct known_cell {
    bool is_named; /* the key is known, which has the cell until its slot is given up */
    struct keyed_key key;
    union numbers numbers;
};

struct keyed_table {
    struct keyed_maps maps;
    struct keyed_cell *cells; /* mapped; NULL: not yet */
    struct known_cell *known;
    size_t n_cells;
    size_t n_used;                   /* so many from the first have ever been used */
    struct keyed_place *places;      /* in front of the cells; NULL: there are none */
    struct keyed_place *read_places; /* as they were read last */
    size_t n_places;
};

/* Makes the maps. 0 or -errno. */
static int make_maps(struct keyed_maps *maps, uint32_t n_cells)
{
    LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);

    maps->keyed = bpf_map_create(BPF_MAP_TYPE_HASH, "keyed", sizeof(struct keyed_key),
                                 sizeof(uint32_t), n_cells, NULL);
    if (maps->keyed < 0)
        return maps->keyed;
    maps->keyed_cells = bpf_map_create(BPF_MAP_TYPE_ARRAY, "keyed_cells", sizeof(uint32_t),
                                       sizeof(struct keyed_cell), n_cells, &mapped);
    if (maps->keyed_cells < 0)
        return maps->keyed_cells;
    maps->keyed_free =
        bpf_map_create(BPF_MAP_TYPE_STACK, "keyed_free", 0, sizeof(uint32_t), n_cells, NULL);
    return maps->keyed_free < 0 ? maps->keyed_free : 0;
}

/* Nobody has the cell. 0 or -errno. */
static int give(const struct keyed_table *table, size_t cell)
{
    const uint32_t number = (uint32_t)cell;

    return bpf_map_update_elem(table->maps.keyed_free, NULL, &number, BPF_ANY);
}

int keyed_table_new(size_t n_cells, struct keyed_table **ret_table)
{
    AUTO(keyed_table) struct keyed_table *table = calloc(1, sizeof(*table));
    int r;

    if (!table)
        return -ENOMEM;
    table->maps = (struct keyed_maps){-1, -1, -1};
    table->n_cells = n_cells;
    table->known = calloc(n_cells, sizeof(*table->known));
    if (!table->known)
        return -ENOMEM;
    r = make_maps(&table->maps, (uint32_t)n_cells);
    if (r < 0)
        return r;
    table->cells = bpf_bytes_map(table->maps.keyed_cells, n_cells * sizeof(*table->cells));
    if (!table->cells)
        return -errno;
    for (size_t i = n_cells; i > 0 && r >= 0; i--) /* the last one is on top */
        r = give(table, i - 1);
    if (r >= 0)
        *ret_table = TAKE(table);
    return r;
}

struct keyed_table *keyed_table_free(struct keyed_table *table)
{
    if (!table)
        return NULL;
    bpf_bytes_unmap(table->cells, table->n_cells * sizeof(*table->cells));
    cleanup_close(&table->maps.keyed);
    cleanup_close(&table->maps.keyed_cells);
    cleanup_close(&table->maps.keyed_free);
    free(table->read_places);
    free(table->known);
    free(table);
    return NULL;
}

struct keyed_maps keyed_table_maps(const struct keyed_table *table)
{
    return table->maps;
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

/* Reads what a cell has. Returns whether that is something else than before. */
static bool read_numbers(const struct keyed_cell *cell, const union numbers *before,
                         union numbers *ret_now)
{
    const union numbers *numbers = (const union numbers *)&cell->counts;
    uint64_t changed = 0;

    for (size_t i = 0; i < ARRAY_SIZE(numbers->words); i++) {
        ret_now->words[i] = __atomic_load_n(&numbers->words[i], __ATOMIC_RELAXED);
        changed |= ret_now->words[i] ^ before->words[i];
    }
    return changed != 0;
}

/* Looks whose the cell is, if that is not known. Returns whether it is. */
static bool name(struct keyed_table *table, size_t i)
{
    const struct keyed_cell *cell = &table->cells[i];
    struct known_cell *known = &table->known[i];
    uint32_t number;

    if (known->is_named)
        return true;
    known->key = (struct keyed_key){
        .slot = cell->owner - 1, .detail = cell->detail, .subject = cell->subject};
    known->is_named =
        bpf_map_lookup_elem(table->maps.keyed, &known->key, &number) >= 0 && number == i;
    return known->is_named;
}

static struct keyed_delta difference(const struct keyed_counts *now,
                                     const struct keyed_counts *before)
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

/* Tells what was added to a cell. */
static void tell(struct keyed_table *table, size_t i, keyed_take *take, void *context)
{
    struct known_cell *known = &table->known[i];
    struct keyed_delta delta;
    union numbers now;

    if (!read_numbers(&table->cells[i], &known->numbers, &now) || !name(table, i))
        return;
    delta = difference(&now.counts, &known->numbers.counts);
    known->numbers = now;
    take(context, &known->key, &delta);
}

/*
 * Finds cells that were used for the first time. One that a CPU has just taken, and did not write
 * to yet, hides those behind it until the next reading.
 */
static void find_used(struct keyed_table *table)
{
    while (table->n_used < table->n_cells &&
           __atomic_load_n(&table->cells[table->n_used].owner, __ATOMIC_RELAXED) != 0)
        table->n_used++;
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

void keyed_table_read(struct keyed_table *table, keyed_take *take, void *context)
{
    tell_places(table, take, context);
    find_used(table);
    for (size_t i = 0; i < table->n_used; i++)
        tell(table, i, take, context);
}

/* Takes the cell from its key. 0 or -errno: it is still the key's. */
static int take_back(struct keyed_table *table, size_t i)
{
    int r = bpf_map_delete_elem(table->maps.keyed, &table->known[i].key);

    if (r < 0 && r != -ENOENT)
        return r;
    table->known[i] = (struct known_cell){0};
    table->cells[i] = (struct keyed_cell){0};
    return give(table, i);
}

int keyed_table_forget(struct keyed_table *table, keyed_is_given_up *is_given_up,
                       const void *context)
{
    int r = 0;

    free_places(table, is_given_up, context);
    for (size_t i = 0; i < table->n_used && r >= 0; i++)
        if (table->cells[i].owner != 0 && name(table, i) &&
            is_given_up(context, table->known[i].key.slot))
            r = take_back(table, i);
    return r;
}
