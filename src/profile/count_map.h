/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How many samples ended at which node: a hash that begins small, since most targets run little. */

#include <stddef.h>
#include <stdint.h>

#include "profile/slice.h"

#define COUNT_MAP_EMPTY UINT32_MAX

/* A map of zeros is empty. */
struct count_map {
    struct slice_entry *entries; /* those whose node is COUNT_MAP_EMPTY are none */
    size_t n_entries;            /* a power of two, or 0 */
    size_t n;                    /* how many are some */
};

void count_map_done(struct count_map *map);

/* 0 or -ENOMEM. */
int count_map_add(struct count_map *map, uint32_t node, uint32_t count);

/* Appends all entries, in no order. 0 or -ENOMEM. */
int count_map_list(const struct count_map *map, struct entry_list *list);

/* Gives nodes other numbers. `list` must have room for all. */
void count_map_renumber(struct count_map *map, const uint32_t *numbers, struct entry_list *list);
