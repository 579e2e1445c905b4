/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/trie.h"

#include "base/array.h"
#include "base/keyed_hash.h"

static uint64_t hash_of(const struct trie *trie, uint32_t parent, uint32_t function)
{
    return hash_index_mix(((uint64_t)parent << 32 | function) ^ trie->seed);
}

int trie_init(struct trie *trie)
{
    struct hash_key key;

    hash_key_draw(&key);
    *trie = (struct trie){.seed = key.words[0]};
    trie->nodes = array_reserve(NULL, sizeof(*trie->nodes), &trie->capacity, 1);
    if (!trie->nodes || hash_index_init(&trie->index, trie->capacity) < 0)
        return -ENOMEM;
    trie->nodes[0] = (struct trie_node){TRIE_NONE, TRIE_NONE, TRIE_NONE};
    trie->n = 1;
    return 0;
}

void trie_done(struct trie *trie)
{
    free(trie->nodes);
    free(trie->index.slots);
    *trie = (struct trie){0};
}

uint32_t trie_find(const struct trie *trie, uint32_t parent, uint32_t function)
{
    const struct hash_index *index = &trie->index;

    for (size_t at = hash_index_first(index, hash_of(trie, parent, function));
         index->slots[at] != HASH_INDEX_NONE; at = hash_index_next(index, at)) {
        const struct trie_node *node = &trie->nodes[index->slots[at]];

        if (node->parent == parent && node->function == function)
            return index->slots[at];
    }
    return TRIE_NONE;
}

void trie_index(struct trie *trie)
{
    hash_index_clear(&trie->index);
    for (uint32_t i = 1; i < trie->n; i++)
        hash_index_put(&trie->index, hash_of(trie, trie->nodes[i].parent, trie->nodes[i].function),
                       i);
}

static int enlarge(struct trie *trie)
{
    struct trie_node *grown =
        array_reserve(trie->nodes, sizeof(*trie->nodes), &trie->capacity, trie->n + 1);
    struct hash_index index;

    if (!grown)
        return -ENOMEM;
    trie->nodes = grown;
    if (hash_index_has_room(&trie->index, trie->n + 1))
        return 0;
    if (hash_index_init(&index, 2 * trie->n) < 0)
        return -ENOMEM;
    free(trie->index.slots);
    trie->index = index;
    trie_index(trie);
    return 0;
}

uint32_t trie_add(struct trie *trie, uint32_t parent, uint32_t function, uint32_t tenant)
{
    const uint32_t number = (uint32_t)trie->n;

    if (trie->n >= TRIE_NONE || enlarge(trie) < 0)
        return TRIE_NONE;
    trie->nodes[number] = (struct trie_node){parent, function, tenant};
    hash_index_put(&trie->index, hash_of(trie, parent, function), number);
    trie->n++;
    return number;
}

uint32_t trie_child(struct trie *trie, uint32_t parent, uint32_t function)
{
    const uint32_t node = trie_find(trie, parent, function);

    return node != TRIE_NONE ? node : trie_add(trie, parent, function, TRIE_NONE);
}

void trie_keep(struct trie *trie, uint32_t *ret_map)
{
    uint32_t n = 0;

    for (size_t i = 0; i < trie->n; i++) {
        struct trie_node node = trie->nodes[i];

        if (ret_map[i] == TRIE_NONE)
            continue;
        if (i > 0)
            node.parent = ret_map[node.parent];
        ret_map[i] = n;
        trie->nodes[n++] = node;
    }
    trie->n = n;
    trie_index(trie);
}
