/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A sweep over the addresses. Lines that have begun stand in a heap with the latest on top, which
 * has the address; those that have ended leave it when they come to the top.
 */
#include "profile/map_pieces.h"

#include <errno.h>
#include <stdlib.h>

struct heap {
    const struct map_line *lines;
    size_t *places; /* of lines */
    size_t n;
};

void map_pieces_done(struct map_pieces *pieces)
{
    free(pieces->pieces);
    *pieces = (struct map_pieces){0};
}

static int compare_lines(const void *left, const void *right)
{
    const struct map_line *a = left, *b = right;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static size_t later(const struct heap *heap, size_t a, size_t b)
{
    return heap->lines[heap->places[a]].number > heap->lines[heap->places[b]].number ? a : b;
}

static void swap(struct heap *heap, size_t a, size_t b)
{
    const size_t place = heap->places[a];

    heap->places[a] = heap->places[b];
    heap->places[b] = place;
}

static void heap_add(struct heap *heap, size_t place)
{
    size_t i = heap->n++;

    heap->places[i] = place;
    for (; i > 0 && later(heap, i, (i - 1) / 2) == i; i = (i - 1) / 2)
        swap(heap, i, (i - 1) / 2);
}

static void heap_drop_top(struct heap *heap)
{
    size_t i = 0, child;

    heap->places[0] = heap->places[--heap->n];
    while ((child = 2 * i + 1) < heap->n) {
        if (child + 1 < heap->n)
            child = later(heap, child, child + 1);
        if (later(heap, i, child) == i)
            return;
        swap(heap, i, child);
        i = child;
    }
}

static void add_piece(struct map_pieces *pieces, uint64_t start, uint64_t end, size_t line)
{
    struct map_piece *next = pieces->pieces + pieces->n;

    if (pieces->n > 0 && next[-1].line == line && next[-1].end == start) {
        next[-1].end = end;
    } else {
        *next = (struct map_piece){start, end, line};
        pieces->n++;
    }
}

static void sweep(const struct map_lines *lines, struct heap *heap, struct map_pieces *pieces)
{
    uint64_t address = 0;
    size_t next = 0;

    while (next < lines->n || heap->n > 0) {
        uint64_t end;

        if (heap->n == 0)
            address = lines->lines[next].start;
        while (next < lines->n && lines->lines[next].start <= address)
            heap_add(heap, next++);
        while (heap->n > 0 && lines->lines[heap->places[0]].end <= address)
            heap_drop_top(heap);
        if (heap->n == 0)
            continue;
        end = lines->lines[heap->places[0]].end;
        if (next < lines->n && lines->lines[next].start < end)
            end = lines->lines[next].start;
        add_piece(pieces, address, end, heap->places[0]);
        address = end;
    }
}

int map_pieces_make(struct map_lines *lines, struct map_pieces *ret_pieces)
{
    struct heap heap = {.lines = lines->lines};

    *ret_pieces = (struct map_pieces){0};
    if (lines->n == 0)
        return 0;
    qsort(lines->lines, lines->n, sizeof(*lines->lines), compare_lines);
    heap.places = calloc(lines->n, sizeof(*heap.places));
    ret_pieces->pieces = calloc(2 * lines->n, sizeof(*ret_pieces->pieces));
    if (heap.places && ret_pieces->pieces)
        sweep(lines, &heap, ret_pieces);
    free(heap.places);
    return heap.places && ret_pieces->pieces ? 0 : -ENOMEM;
}
