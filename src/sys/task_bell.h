/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Wakes who waits when a task is born, ends or gets a new name on one CPU. It rings once and
 * is then silent until it is armed again, so that a storm of births costs those who are born
 * one interrupt for each time that somebody is ready to look, and none besides.
 */

#include <stdint.h>

#include "sys/cpu_list.h"

struct perf_event_mmap_page;

struct task_bell {
    int fd;                            /* EPOLLIN when it rings, once */
    struct perf_event_mmap_page *page; /* NULL: nothing is mapped */
    uint64_t size;                     /* of its data */
};

/* A silent one; then 0 or -errno. */
int task_bell_open(struct task_bell *bell, struct cpu_number cpu);
void task_bell_close(struct task_bell *bell);

/* The next birth, end or name rings it. No system call. */
void task_bell_arm(struct task_bell *bell);
