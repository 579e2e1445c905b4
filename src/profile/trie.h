/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Stacks as a trie: a node is a function with its callers up to the root, which is node 0. A parent
 * has a lower number than its children. Numbers change only by trie_keep().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/hash_index.h"

#define TRIE_NONE UINT32_MAX

struct trie_node {
    uint32_t parent, function; /* of the root: TRIE_NONE */
    uint32_t tenant;           /* whom it is charged to, as its owner likes */
};

struct trie {
    struct trie_node *nodes;
    size_t n, capacity;
    struct hash_index index;
    uint64_t seed; /* so that nobody can choose functions that fall into one place */
};

/* Makes a trie of the root alone. 0 or -ENOMEM; trie_done() is right in both cases. */
int trie_init(struct trie *trie);
void trie_done(struct trie *trie);

/* TRIE_NONE: there is no such child. */
uint32_t trie_find(const struct trie *trie, uint32_t parent, uint32_t function);

/* Adds a child that is not there yet. TRIE_NONE: no memory. */
uint32_t trie_add(struct trie *trie, uint32_t parent, uint32_t function, uint32_t tenant);

/* Finds a child or adds it. TRIE_NONE: no memory. */
uint32_t trie_child(struct trie *trie, uint32_t parent, uint32_t function);

/*
 * Keeps those nodes for which ret_map[node] is not TRIE_NONE, and sets it to the new number. The
 * order stays. The parent of a node that is kept must be kept, and the root.
 */
void trie_keep(struct trie *trie, uint32_t *ret_map);

/* Makes the index anew, after functions were given other numbers. */
void trie_index(struct trie *trie);

static inline size_t trie_bytes(const struct trie *trie)
{
    return trie->capacity * sizeof(*trie->nodes) + trie->index.n_slots * sizeof(uint32_t);
}
