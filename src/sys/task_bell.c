/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bell is a perf event of its own with the same side-band records, whose ring nobody reads. The
 * kernel wakes the waiting loop at each record that finds room in the ring (watermark), and does
 * nothing for a record that finds none (__perf_output_begin()). So the ring is kept full, and to
 * arm the bell makes room for one record.
 *
 * A watermark on the ring that is read would cost an interrupt for each record; in a virtual
 * machine a fork then took half as long again.
 */
#include "sys/task_bell.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/perf_event.h"

/* Room for one record and the report of losses before it, and not for two records. */
#define ROOM_TO_RING 64

static const struct perf_event_attr attributes = {
    .type = PERF_TYPE_SOFTWARE,
    .size = sizeof(struct perf_event_attr),
    .config = PERF_COUNT_SW_DUMMY,
    .task = 1,
    .comm = 1,
    .watermark = 1,
    .wakeup_watermark = 1,
    .exclude_kernel = 1,
    .exclude_hv = 1,
};

int task_bell_open(struct task_bell *bell, struct cpu_number cpu)
{
    struct perf_event_attr attr = attributes;
    size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
    void *map;

    *bell = (struct task_bell){.fd = -1};
    bell->fd = perf_ops_kernel.open(NULL, &attr, -1, cpu.value, -1, PERF_FLAG_FD_CLOEXEC);
    if (bell->fd < 0)
        return bell->fd;
    map = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, bell->fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    bell->page = map;
    bell->size = page_size;
    return 0;
}

void task_bell_close(struct task_bell *bell)
{
    if (bell->page)
        (void)munmap(bell->page, 2 * bell->size);
    if (bell->fd >= 0)
        (void)close(bell->fd);
    *bell = (struct task_bell){.fd = -1};
}

void task_bell_arm(struct task_bell *bell)
{
    uint64_t head = __atomic_load_n(&bell->page->data_head, __ATOMIC_ACQUIRE);

    /* positions count modulo the size; at the start this one is below 0, which the kernel allows */
    __atomic_store_n(&bell->page->data_tail, head - bell->size + ROOM_TO_RING, __ATOMIC_RELEASE);
}
