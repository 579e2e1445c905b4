/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A hash from a key to the number of an item that stands in an array of its owner. It has four
 * bytes a slot and no keys, since the item has them. Who looks for an item goes through the slots
 * of its hash up to an empty one:
 *
 *     for (size_t at = hash_index_first(index, hash); index->slots[at] != HASH_INDEX_NONE;
 *          at = hash_index_next(index, at))
 */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HASH_INDEX_NONE UINT32_MAX

struct hash_index {
    uint32_t *slots;
    size_t n_slots; /* a power of two */
};

static inline size_t hash_index_first(const struct hash_index *index, uint64_t hash)
{
    return hash & (index->n_slots - 1);
}

static inline size_t hash_index_next(const struct hash_index *index, size_t at)
{
    return (at + 1) & (index->n_slots - 1);
}

/* Whether so many items leave a third of the slots empty. */
static inline bool hash_index_has_room(const struct hash_index *index, size_t n_items)
{
    return n_items <= index->n_slots / 3 * 2;
}

static inline void hash_index_clear(struct hash_index *index)
{
    memset(index->slots, 0xff, index->n_slots * sizeof(*index->slots));
}

/* Makes an empty index with room for so many items. 0 or -ENOMEM. */
static inline int hash_index_init(struct hash_index *index, size_t n_items)
{
    size_t n_slots = 16;

    while (n_items > n_slots / 3 * 2)
        n_slots *= 2;
    index->slots = reallocarray(NULL, n_slots, sizeof(*index->slots));
    if (!index->slots)
        return -ENOMEM;
    index->n_slots = n_slots;
    hash_index_clear(index);
    return 0;
}

/* Puts an item that is not there yet; there must be room. */
static inline void hash_index_put(struct hash_index *index, uint64_t hash, uint32_t number)
{
    size_t at = hash_index_first(index, hash);

    while (index->slots[at] != HASH_INDEX_NONE)
        at = hash_index_next(index, at);
    index->slots[at] = number;
}

/* Spreads a number over all bits (the finalizer of MurmurHash3, by Appleby). */
static inline uint64_t hash_index_mix(uint64_t number)
{
    number = (number ^ number >> 33) * UINT64_C(0xff51afd7ed558ccd);
    number = (number ^ number >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return number ^ number >> 33;
}
