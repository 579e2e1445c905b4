/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/task_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "sys/perf_event.h"

#define DATA_SIZE ((size_t)64 * 1024)

/* No record that we ask for is longer, not even with a report of losses before it. */
#define ROOM_FOR_A_RECORD 128

/* With sample_id_all the time stands at the end of every record. */
static const struct perf_event_attr attributes = {
    .type = PERF_TYPE_SOFTWARE,
    .size = sizeof(struct perf_event_attr),
    .config = PERF_COUNT_SW_DUMMY,
    .sample_type = PERF_SAMPLE_TIME,
    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
    .task = 1,
    .comm = 1,
    .comm_exec = 1,
    .sample_id_all = 1,
    .exclude_kernel = 1, /* it counts nothing anyway, and needs a lesser permission so */
    .exclude_hv = 1,
    .use_clockid = 1,
    .clockid = CLOCK_MONOTONIC,
};

/* The bodies of records, as the kernel writes them (perf_event_open(2)). */
struct task_record {
    uint32_t pid, parent, tid, parent_tid;
};

struct comm_record {
    uint32_t pid, tid;
};

union record {
    struct perf_event_header header;
    char bytes[ROOM_FOR_A_RECORD];
};

int task_ring_open(struct task_ring *ring, struct cpu_number cpu)
{
    struct perf_event_attr attr = attributes;

    *ring = (struct task_ring){.fd = -1};
    ring->fd = perf_ops_kernel.open(NULL, &attr, -1, cpu.value, -1, PERF_FLAG_FD_CLOEXEC);
    if (ring->fd < 0)
        return ring->fd;
    return perf_ring_map(&ring->ring, ring->fd, DATA_SIZE);
}

void task_ring_close(struct task_ring *ring)
{
    perf_ring_unmap(&ring->ring);
    if (ring->fd >= 0)
        (void)close(ring->fd);
    *ring = (struct task_ring){.fd = -1};
}

bool task_ring_begin(struct task_ring *ring)
{
    /* the kernel reports a loss with the next record that finds room, which may come much later */
    return perf_ring_begin(&ring->ring) > ring->ring.size - ROOM_FOR_A_RECORD;
}

/* Makes an event of a record. False: the record is of no interest. */
static bool translate(const union record *record, struct task_event *ret_event)
{
    const char *body = record->bytes + sizeof(record->header);
    struct task_record task;
    struct comm_record comm;

    switch (record->header.type) {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        memcpy(&task, body, sizeof(task));
        *ret_event = (struct task_event){
            .kind = record->header.type == PERF_RECORD_FORK ? TASK_EVENT_FORK : TASK_EVENT_EXIT,
            .pid = (pid_t)task.pid,
            .tid = (pid_t)task.tid,
            .parent = (pid_t)task.parent,
        };
        return task.pid > 0; /* 0: of another PID namespace */
    case PERF_RECORD_COMM:
        memcpy(&comm, body, sizeof(comm));
        *ret_event = (struct task_event){.kind = TASK_EVENT_COMM,
                                         .pid = (pid_t)comm.pid,
                                         .tid = (pid_t)comm.tid,
                                         .exec = record->header.misc & PERF_RECORD_MISC_COMM_EXEC};
        return comm.pid > 0 && comm.pid == comm.tid;
    case PERF_RECORD_LOST:
        *ret_event = (struct task_event){.kind = TASK_EVENT_LOST};
        return true;
    default:
        return false;
    }
}

static uint64_t time_of(const union record *record, size_t length)
{
    uint64_t time = 0;

    if (length <= sizeof(*record))
        memcpy(&time, record->bytes + length - sizeof(time), sizeof(time));
    return time;
}

bool task_ring_peek(struct task_ring *ring, uint64_t until_ns)
{
    union record record = {0};
    int length = 0;

    while (!ring->is_pending &&
           (length = perf_ring_read(&ring->ring, &record, sizeof(record))) != 0) {
        ring->is_pending = length < 0 || translate(&record, &ring->next);
        if (length < 0) /* never seen */
            ring->next = (struct task_event){.kind = TASK_EVENT_LOST};
        ring->next_time_ns = length < 0 ? 0 : time_of(&record, (size_t)length);
    }
    return ring->is_pending && ring->next_time_ns <= until_ns;
}

bool task_ring_is_empty(const struct task_ring *ring)
{
    return !ring->is_pending && perf_ring_is_empty(&ring->ring);
}

bool task_ring_is_served(struct task_ring *ring)
{
    uint64_t values[2]; /* the count, which is 0, and time enabled */
    uint64_t before = ring->enabled_ns;

    if (perf_ops_kernel.read(NULL, ring->fd, values, sizeof(values)) != (ssize_t)sizeof(values))
        return false;
    ring->enabled_ns = values[1];
    return values[1] > before;
}
