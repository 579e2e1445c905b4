/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Wakes an event loop when a task is born, ends or gets a new name on one CPU. It rings once, and
 * is silent until it is armed again. So a storm of births costs one interrupt each time that the
 * loop is ready to look, and no more.
 */

#include <stdint.h>

#include "sys/cpu_list.h"

struct perf_event_mmap_page;

struct task_bell {
    int fd;                            /* EPOLLIN when it rings, once */
    struct perf_event_mmap_page *page; /* NULL: nothing is mapped */
    uint64_t size;                     /* bytes of the ring's data */
};

/* Opens a bell, which is silent. 0 or -errno; task_bell_close() is called in either case. */
int task_bell_open(struct task_bell *bell, struct cpu_number cpu);
void task_bell_close(struct task_bell *bell);

/* Has the next record ring the bell. It costs no system call. */
void task_bell_arm(struct task_bell *bell);
