/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The records of one CPU: a perf event with its ring buffer. */

#include <stdbool.h>
#include <stdint.h>

#include "sys/cpu_list.h"
#include "sys/perf_ring.h"
#include "sys/task_events.h"

struct task_ring {
    int fd;
    struct perf_ring ring;
    uint64_t enabled_ns; /* the time enabled when it was last read */
    bool is_pending;     /* `next` is the oldest record that was not given yet */
    struct task_event next;
    uint64_t next_time_ns; /* CLOCK_MONOTONIC */
};

/* Opens the ring of a CPU. 0 or -errno; task_ring_close() is called in either case. */
int task_ring_open(struct task_ring *ring, struct cpu_number cpu);
void task_ring_close(struct task_ring *ring);

/* Takes the records that are there now for this look. True: some records found no room. */
bool task_ring_begin(struct task_ring *ring);

/* Makes the oldest record of this look pending, if it is not newer than until_ns. False: none. */
bool task_ring_peek(struct task_ring *ring, uint64_t until_ns);

/* Whether every record has been given. */
bool task_ring_is_empty(const struct task_ring *ring);

/* Whether the event is alive: its time enabled has advanced since the last call. */
bool task_ring_is_served(struct task_ring *ring);
