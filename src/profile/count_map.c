/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/count_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/hash_index.h"

#define FIRST_ENTRIES 8

void count_map_done(struct count_map *map)
{
    free(map->entries);
    *map = (struct count_map){0};
}

static struct slice_entry *place_of(const struct count_map *map, uint32_t node)
{
    size_t at = hash_index_mix(node) & (map->n_entries - 1);

    while (map->entries[at].node != COUNT_MAP_EMPTY && map->entries[at].node != node)
        at = (at + 1) & (map->n_entries - 1);
    return &map->entries[at];
}

static int enlarge(struct count_map *map)
{
    struct count_map larger = {.n_entries = map->n_entries ? 2 * map->n_entries : FIRST_ENTRIES};

    larger.entries = reallocarray(NULL, larger.n_entries, sizeof(*larger.entries));
    if (!larger.entries)
        return -ENOMEM;
    memset(larger.entries, 0xff, larger.n_entries * sizeof(*larger.entries));
    for (size_t i = 0; i < map->n_entries; i++)
        if (map->entries[i].node != COUNT_MAP_EMPTY)
            *place_of(&larger, map->entries[i].node) = map->entries[i];
    larger.n = map->n;
    free(map->entries);
    *map = larger;
    return 0;
}

int count_map_add(struct count_map *map, uint32_t node, uint32_t count)
{
    struct slice_entry *entry;

    if (map->n + 1 > map->n_entries / 4 * 3 && enlarge(map) < 0)
        return -ENOMEM;
    entry = place_of(map, node);
    if (entry->node == COUNT_MAP_EMPTY) {
        *entry = (struct slice_entry){.node = node};
        map->n++;
    }
    entry->count += count;
    return 0;
}

int count_map_list(const struct count_map *map, struct entry_list *list)
{
    if (entry_list_reserve(list, map->n) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < map->n_entries; i++)
        if (map->entries[i].node != COUNT_MAP_EMPTY)
            list->entries[list->n++] = map->entries[i];
    return 0;
}

void count_map_renumber(struct count_map *map, const uint32_t *numbers, struct entry_list *list)
{
    list->n = 0;
    (void)count_map_list(map, list);
    if (map->n_entries > 0)
        memset(map->entries, 0xff, map->n_entries * sizeof(*map->entries));
    map->n = 0;
    for (size_t i = 0; i < list->n; i++)
        (void)count_map_add(map, numbers[list->entries[i].node], list->entries[i].count);
    list->n = 0;
}
