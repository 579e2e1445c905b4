/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/name_table.h"

#include "base/array.h"

static uint64_t hash_of(const struct name_table *table, enum profile_kind kind, const char *owner,
                        const char *name)
{
    return hash_index_mix(keyed_hash(&table->key, owner, strlen(owner)) + (uint64_t)kind) ^
           keyed_hash(&table->key, name, strlen(name));
}

int name_table_init(struct name_table *table)
{
    *table = (struct name_table){0};
    hash_key_draw(&table->key);
    return hash_index_init(&table->index, 16);
}

void name_table_done(struct name_table *table)
{
    for (size_t i = 0; i < table->n; i++)
        free(table->names[i].owner);
    free(table->names);
    free(table->is_hashed);
    free(table->index.slots);
    *table = (struct name_table){0};
}

static bool is_this(const struct profile_function_name *function, enum profile_kind kind,
                    const char *owner, const char *name)
{
    return function->kind == kind && strcmp(function->name, name) == 0 &&
           strcmp(function->owner, owner) == 0;
}

uint32_t name_table_find(const struct name_table *table, enum profile_kind kind, const char *owner,
                         const char *name)
{
    const struct hash_index *index = &table->index;

    for (size_t at = hash_index_first(index, hash_of(table, kind, owner, name));
         index->slots[at] != HASH_INDEX_NONE; at = hash_index_next(index, at))
        if (is_this(&table->names[index->slots[at]], kind, owner, name))
            return index->slots[at];
    return NAME_NONE;
}

static void put(struct name_table *table, uint32_t number)
{
    const struct profile_function_name *function = &table->names[number];

    if (table->is_hashed[number])
        hash_index_put(&table->index,
                       hash_of(table, function->kind, function->owner, function->name), number);
}

static void put_all(struct name_table *table)
{
    hash_index_clear(&table->index);
    for (uint32_t i = 0; i < table->n; i++)
        put(table, i);
}

static int enlarge(struct name_table *table)
{
    void *names =
        array_reserve(table->names, sizeof(*table->names), &table->names_capacity, table->n + 1);
    void *hashed = array_reserve(table->is_hashed, sizeof(*table->is_hashed),
                                 &table->hashed_capacity, table->n + 1);
    struct hash_index index;

    table->names = names ? names : table->names;
    table->is_hashed = hashed ? hashed : table->is_hashed;
    if (!names || !hashed)
        return -ENOMEM;
    if (hash_index_has_room(&table->index, table->n + 1))
        return 0;
    if (hash_index_init(&index, 2 * table->n) < 0)
        return -ENOMEM;
    free(table->index.slots);
    table->index = index;
    put_all(table);
    return 0;
}

/* Both texts stand in one block, which begins with the owner. */
static bool make_texts(const char *owner, const char *name, struct profile_function_name *function)
{
    const size_t owner_size = strlen(owner) + 1, name_size = strlen(name) + 1;

    function->owner = malloc(owner_size + name_size);
    if (!function->owner)
        return false;
    function->name = function->owner + owner_size;
    memcpy(function->owner, owner, owner_size);
    memcpy(function->name, name, name_size);
    return true;
}

static size_t bytes_of(const struct profile_function_name *function)
{
    return strlen(function->owner) + strlen(function->name) + 2;
}

uint32_t name_table_add(struct name_table *table, enum profile_kind kind, const char *owner,
                        const char *name, bool is_hashed)
{
    struct profile_function_name function = {.kind = kind};
    const uint32_t number = (uint32_t)table->n;

    if (enlarge(table) < 0 || !make_texts(owner, name, &function))
        return NAME_NONE;
    table->names[number] = function;
    table->is_hashed[number] = is_hashed;
    table->bytes += bytes_of(&function);
    put(table, number);
    table->n++;
    return number;
}

uint32_t name_table_number(struct name_table *table, enum profile_kind kind, const char *owner,
                           const char *name)
{
    const uint32_t number = name_table_find(table, kind, owner, name);

    return number != NAME_NONE ? number : name_table_add(table, kind, owner, name, true);
}

int name_table_rename(struct name_table *table, uint32_t number, const char *name)
{
    struct profile_function_name *function = &table->names[number], renamed = *function;

    if (!make_texts(function->owner, name, &renamed))
        return -ENOMEM;
    table->bytes += bytes_of(&renamed) - bytes_of(function);
    free(function->owner);
    *function = renamed;
    return 0;
}

void name_table_keep(struct name_table *table, uint32_t *ret_map)
{
    uint32_t n = 0;

    for (size_t i = 0; i < table->n; i++) {
        if (ret_map[i] == NAME_NONE) {
            table->bytes -= bytes_of(&table->names[i]);
            free(table->names[i].owner);
            continue;
        }
        ret_map[i] = n;
        table->names[n] = table->names[i];
        table->is_hashed[n++] = table->is_hashed[i];
    }
    table->n = n;
    put_all(table);
}

struct profile_function_name *name_table_take(struct name_table *table, size_t *ret_n)
{
    struct profile_function_name *names = TAKE(table->names);

    *ret_n = table->n;
    table->n = 0;
    name_table_done(table);
    return names;
}
