/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What stands in the ring of a CPU. The records go on at the beginning of the ring. Each that is
 * given took its place there, and at the end the ring is empty.
 */

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "sys/task_ring.h"

#define DATA_SIZE 4096

static void check_event(const struct task_event *event)
{
    FUZZ_CHECK(event->kind == TASK_EVENT_LOST || event->pid != 0);
    FUZZ_CHECK(event->kind != TASK_EVENT_COMM || event->pid == event->tid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    const size_t n = size < DATA_SIZE ? size : DATA_SIZE, tail = DATA_SIZE - 20;
    char *map = mmap(NULL, page_size + DATA_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct task_ring ring = {.fd = -1};
    size_t n_events = 0;

    FUZZ_CHECK(map != MAP_FAILED);
    ring.ring = (struct perf_ring){(void *)map, map + page_size, DATA_SIZE, 0};
    ring.ring.page->data_tail = tail;
    ring.ring.page->data_head = tail + n;
    for (size_t i = 0; i < n; i++)
        map[page_size + (tail + i) % DATA_SIZE] = (char)data[i];
    FUZZ_CHECK(task_ring_begin(&ring) == (n > DATA_SIZE - 128));
    while (task_ring_peek(&ring, UINT64_MAX)) {
        check_event(&ring.next);
        ring.is_pending = false;
        n_events++;
    }
    FUZZ_CHECK(n_events <= n / sizeof(struct perf_event_header) + 1);
    FUZZ_CHECK(task_ring_is_empty(&ring) && !task_ring_is_served(&ring));
    task_ring_close(&ring);
    return 0;
}
