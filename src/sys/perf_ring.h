/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The ring buffer in which the kernel writes the records of a perf event (perf_event_open(2)). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct perf_ring {
    struct perf_event_mmap_page *page; /* NULL: nothing is mapped */
    const char *data;
    uint64_t size; /* of the data: a power of two */
    uint64_t head; /* the end of the records of this look */
};

/* Maps the ring of an event. data_size: a power of two; at least a page is taken. 0 or -errno. */
int perf_ring_map(struct perf_ring *ring, int fd, size_t data_size);
void perf_ring_unmap(struct perf_ring *ring);

/* Takes the records that are there now for this look. Returns how many bytes they are. */
uint64_t perf_ring_begin(struct perf_ring *ring);

/* Whether all records have been read, also those of the next look. */
bool perf_ring_is_empty(const struct perf_ring *ring);

/*
 * Copies the oldest record of this look, as far as it fits, and frees its place. Returns its
 * length; 0: there is none. -EBADMSG: it is no record, and where the next one begins is not known
 * either, so that all of this look are lost.
 */
int perf_ring_read(struct perf_ring *ring, void *record, size_t size);
