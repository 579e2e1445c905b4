/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int perf_ring_map(struct perf_ring *ring, int fd, size_t data_size)
{
    const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    const size_t size = data_size > page_size ? data_size : page_size;
    void *map = mmap(NULL, page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (map == MAP_FAILED)
        return -errno;
    *ring = (struct perf_ring){.page = map, .data = (const char *)map + page_size, .size = size};
    return 0;
}

void perf_ring_unmap(struct perf_ring *ring)
{
    if (ring->page)
        (void)munmap(ring->page, (size_t)(ring->data - (const char *)ring->page) + ring->size);
    *ring = (struct perf_ring){0};
}

uint64_t perf_ring_begin(struct perf_ring *ring)
{
    ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    return ring->head - ring->page->data_tail;
}

bool perf_ring_is_empty(const struct perf_ring *ring)
{
    return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) == ring->page->data_tail;
}

/* Copies bytes out of the ring, where they may go on at the beginning. */
static void copy_out(const struct perf_ring *ring, uint64_t from, char *to, size_t n)
{
    size_t offset = (size_t)(from & (ring->size - 1));
    size_t straight = n < ring->size - offset ? n : (size_t)(ring->size - offset);

    memcpy(to, ring->data + offset, straight);
    memcpy(to + straight, ring->data, n - straight);
}

int perf_ring_read(struct perf_ring *ring, void *record, size_t size)
{
    const uint64_t tail = ring->page->data_tail;
    struct perf_event_header header;
    int length = -EBADMSG;
    uint64_t next = ring->head;

    if (tail >= ring->head)
        return 0;
    copy_out(ring, tail, (char *)&header, sizeof(header));
    if (header.size >= sizeof(header) && header.size <= ring->head - tail) {
        copy_out(ring, tail, record, header.size < size ? header.size : size);
        length = header.size;
        next = tail + header.size;
    }
    __atomic_store_n(&ring->page->data_tail, next, __ATOMIC_RELEASE);
    return length;
}
