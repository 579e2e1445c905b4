/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads the table of a program that counts by key: what has been added to each cell since it was
 * read last. The program counts on meanwhile: each number by itself is always whole, but of
 * something that is just being counted the sum may be seen before the bucket. The next reading has
 * it all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/keyed.h"

/* What has been added to a cell. */
struct keyed_delta {
    uint64_t sums_ns[KEYED_DISTRIBUTIONS];
    uint64_t tallies[KEYED_TALLIES];
    uint64_t buckets[KEYED_DISTRIBUTIONS][KEYED_BUCKETS];
};

/* Gets what was added to the cell of a key. Both are valid during the call. */
typedef void keyed_take(void *context, const struct keyed_key *key,
                        const struct keyed_delta *delta);

/* The maps of a program's table, and what was read of it last: some 600 bytes for each cell. */
struct keyed_table;

/*
 * A table of so many cells, which belong to nobody yet. To make it takes a millisecond for each
 * 1,000. 0, or -errno: as for any map of a program; then *ret_table stays as it is.
 */
int keyed_table_new(size_t n_cells, struct keyed_table **ret_table);
struct keyed_table *keyed_table_free(struct keyed_table *table);
DEFINE_AUTO(keyed_table, struct keyed_table *, keyed_table_free)

/* Its maps, for the programs that count in it. The descriptors stay the table's. */
struct keyed_maps {
    int keyed;       /* struct keyed_key -> the number of its cell, __u32 */
    int keyed_cells; /* all struct keyed_cell, by number */
    int keyed_free;  /* the numbers of those that no key has */
};

struct keyed_maps keyed_table_maps(const struct keyed_table *table);

/*
 * Has the table read such places, too, so many of all CPUs. They are shared with the program, stay
 * the caller's, and live as long as the table. What they have by then is told by the first reading.
 * 0 or -ENOMEM.
 */
int keyed_table_add_places(struct keyed_table *table, struct keyed_place *places, size_t n);

/* Calls `take` for each key whose cell has changed since the last reading. */
void keyed_table_read(struct keyed_table *table, keyed_take *take, void *context);

/* Whether a slot has been given up. */
typedef bool keyed_is_given_up(const void *context, uint32_t slot);

/*
 * Slots were given up, the program was told so, and after that the table has been read to its end:
 * so all that their cells had is told. Removes the cells from the map, so that their places are
 * free. It walks once through all keys that are known, however many slots there are. 0; or -errno:
 * some are still there.
 */
int keyed_table_forget(struct keyed_table *table, keyed_is_given_up *is_given_up,
                       const void *context);
