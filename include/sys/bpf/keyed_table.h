/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads the table of a program that counts by key: what has been added to each cell since it was
 * read last. The program counts on meanwhile: each number by itself is always whole, but of
 * something that is just being counted the sum may be seen before the bucket. The next reading has
 * it all.
 */

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

/* Remembers what was read last, by key: some 400 bytes for each key that there has been. */
struct keyed_table;

/*
 * A table that reads a hash map of struct keyed_key and struct keyed_cell, by its descriptor, which
 * stays the caller's and open as long as the table lives. What the cells have by then is told by
 * the first reading. 0 or -ENOMEM.
 */
int keyed_table_new(int map_fd, struct keyed_table **ret_table);
struct keyed_table *keyed_table_free(struct keyed_table *table);
DEFINE_AUTO(keyed_table, struct keyed_table *, keyed_table_free)

/*
 * Has the table read such places, too, so many of all CPUs. They are shared with the program, stay
 * the caller's, and live as long as the table. What they have by then is told by the first reading.
 * 0 or -ENOMEM.
 */
int keyed_table_add_places(struct keyed_table *table, struct keyed_place *places, size_t n);

/*
 * Calls `take` for each key whose cell has changed since the last reading. 0; or -errno: what has
 * not been told by then is told by the next reading that succeeds.
 */
int keyed_table_read(struct keyed_table *table, keyed_take *take, void *context);

/*
 * A slot is given up, and the program has been told so before: what its cells still had is told,
 * and then they are removed from the map, so that their places are free. It walks through the whole
 * map. 0; or -errno: some are still there, and can be asked for again.
 */
int keyed_table_forget_slot(struct keyed_table *table, uint32_t slot, keyed_take *take,
                            void *context);
