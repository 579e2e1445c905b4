/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a target had in a minute, or in an hour: nodes and how many samples ended there, sorted by
 * node. A node is written as its distance from the one before, in seven bits a byte (LEB128), and
 * behind it its count: some two bytes each.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct slice_entry {
    uint32_t node, count;
};

struct entry_list {
    struct slice_entry *entries;
    size_t n, capacity;
};

/* Makes room for so many more. 0 or -ENOMEM. */
int entry_list_reserve(struct entry_list *list, size_t more);
void entry_list_done(struct entry_list *list);
#define AUTO_ENTRY_LIST __attribute__((cleanup(entry_list_done)))

struct slice {
    uint32_t minute;    /* the first one, since 1970 */
    uint16_t n_minutes; /* 1 or 60 */
    uint16_t rate_hz;   /* of its samples */
    uint32_t n_bytes;
    uint32_t n_entries;
    unsigned char bytes[];
};

/* Sorts the entries, and makes one of those of the same node. NULL: no memory. */
struct slice *slice_new(struct entry_list *list, uint32_t minute, uint16_t n_minutes,
                        uint16_t rate_hz);

static inline size_t slice_size(const struct slice *slice)
{
    return sizeof(*slice) + slice->n_bytes;
}

/* The first minute behind it. */
static inline uint32_t slice_end(const struct slice *slice)
{
    return slice->minute + slice->n_minutes;
}

struct slice_reader {
    const unsigned char *at;
    uint32_t left, node;
};

static inline struct slice_reader slice_read(const struct slice *slice)
{
    return (struct slice_reader){slice->bytes, slice->n_entries, 0};
}

/* Takes the next entry; false: there is none left. */
bool slice_next(struct slice_reader *reader, struct slice_entry *ret_entry);

/* Appends all entries. 0 or -ENOMEM. */
int slice_list(const struct slice *slice, struct entry_list *list);

/*
 * Gives nodes other numbers, in the same order and none greater than before: so it needs no more
 * room, and cannot fail. Returns the slice, which may have moved.
 */
struct slice *slice_renumber(struct slice *slice, const uint32_t *numbers);
