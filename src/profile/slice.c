/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/slice.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

int entry_list_reserve(struct entry_list *list, size_t more)
{
    struct slice_entry *grown =
        array_reserve(list->entries, sizeof(*list->entries), &list->capacity, list->n + more);

    if (!grown)
        return -ENOMEM;
    list->entries = grown;
    return 0;
}

void entry_list_done(struct entry_list *list)
{
    free(list->entries);
    *list = (struct entry_list){0};
}

static int by_node(const void *a, const void *b)
{
    const struct slice_entry *left = a, *right = b;

    return (left->node > right->node) - (left->node < right->node);
}

static void sort_and_unite(struct entry_list *list)
{
    size_t n = 0;

    if (list->n > 1)
        qsort(list->entries, list->n, sizeof(*list->entries), by_node);
    for (size_t i = 0; i < list->n; i++)
        if (n > 0 && list->entries[n - 1].node == list->entries[i].node)
            list->entries[n - 1].count += list->entries[i].count;
        else
            list->entries[n++] = list->entries[i];
    list->n = n;
}

static unsigned char *put_number(unsigned char *at, uint32_t number)
{
    for (; number >= 0x80; number >>= 7)
        *at++ = (unsigned char)(number | 0x80);
    *at++ = (unsigned char)number;
    return at;
}

static const unsigned char *take_number(const unsigned char *at, uint32_t *ret_number)
{
    uint32_t number = 0;
    unsigned shift = 0;

    for (; *at >= 0x80; shift += 7)
        number |= (uint32_t)(*at++ & 0x7f) << shift;
    *ret_number = number | (uint32_t)*at << shift;
    return at + 1;
}

static size_t length_of(uint32_t number)
{
    size_t n = 1;

    for (; number >= 0x80; number >>= 7)
        n++;
    return n;
}

static size_t bytes_of(const struct entry_list *list)
{
    uint32_t before = 0;
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        n += length_of(list->entries[i].node - before) + length_of(list->entries[i].count);
        before = list->entries[i].node;
    }
    return n;
}

struct slice *slice_new(struct entry_list *list, uint32_t minute, uint16_t n_minutes,
                        uint16_t rate_hz)
{
    struct slice *slice;
    unsigned char *at;
    uint32_t before = 0;

    sort_and_unite(list);
    slice = malloc(sizeof(*slice) + bytes_of(list));
    if (!slice)
        return NULL;
    *slice =
        (struct slice){minute, n_minutes, rate_hz, (uint32_t)bytes_of(list), (uint32_t)list->n};
    at = slice->bytes;
    for (size_t i = 0; i < list->n; i++) {
        at = put_number(at, list->entries[i].node - before);
        at = put_number(at, list->entries[i].count);
        before = list->entries[i].node;
    }
    return slice;
}

bool slice_next(struct slice_reader *reader, struct slice_entry *ret_entry)
{
    uint32_t distance;

    if (reader->left == 0)
        return false;
    reader->left--;
    reader->at = take_number(reader->at, &distance);
    reader->at = take_number(reader->at, &ret_entry->count);
    reader->node += distance;
    ret_entry->node = reader->node;
    return true;
}

int slice_list(const struct slice *slice, struct entry_list *list)
{
    struct slice_reader reader = slice_read(slice);

    if (entry_list_reserve(list, slice->n_entries) < 0)
        return -ENOMEM;
    while (slice_next(&reader, &list->entries[list->n]))
        list->n++;
    return 0;
}

struct slice *slice_renumber(struct slice *slice, const uint32_t *numbers)
{
    struct slice_reader reader = slice_read(slice);
    struct slice_entry entry;
    unsigned char *at = slice->bytes;
    uint32_t before = 0;
    struct slice *shorter;

    while (slice_next(&reader, &entry)) { /* what is written never overtakes what is read */
        at = put_number(at, numbers[entry.node] - before);
        at = put_number(at, entry.count);
        before = numbers[entry.node];
    }
    slice->n_bytes = (uint32_t)(at - slice->bytes);
    shorter = realloc(slice, slice_size(slice));
    return shorter ? shorter : slice;
}
