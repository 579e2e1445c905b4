/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Functions by kind, owner and name, each of which has a number. Strangers choose names. */

#include <stdbool.h>

#include "base/keyed_hash.h"
#include "profile/hash_index.h"
#include "profile/tree.h"

struct name_table {
    struct profile_function_name *names;
    bool *is_hashed; /* [number]: it is found by its name */
    size_t n, names_capacity, hashed_capacity;
    size_t bytes; /* of all owners and names */
    struct hash_index index;
    struct hash_key key;
};

#define NAME_NONE UINT32_MAX

int name_table_init(struct name_table *table);
void name_table_done(struct name_table *table);

/* NAME_NONE: there is none. */
uint32_t name_table_find(const struct name_table *table, enum profile_kind kind, const char *owner,
                         const char *name);

/* Adds one, which is not found by its name unless it is hashed. NAME_NONE: no memory. */
uint32_t name_table_add(struct name_table *table, enum profile_kind kind, const char *owner,
                        const char *name, bool is_hashed);

/* Finds or adds one. NAME_NONE: no memory. */
uint32_t name_table_number(struct name_table *table, enum profile_kind kind, const char *owner,
                           const char *name);

/* Gives another name to one that is not hashed. 0 or -ENOMEM. */
int name_table_rename(struct name_table *table, uint32_t number, const char *name);

/* Keeps those for which ret_map[number] is not NAME_NONE, and sets it to the new number. */
void name_table_keep(struct name_table *table, uint32_t *ret_map);

/* Hands the names over, and leaves an empty table. */
struct profile_function_name *name_table_take(struct name_table *table, size_t *ret_n);

static inline size_t name_table_bytes(const struct name_table *table)
{
    return table->names_capacity * sizeof(*table->names) + table->hashed_capacity +
           table->index.n_slots * sizeof(uint32_t) + table->bytes;
}
