/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * perf_event_open(2) and what is done with its descriptors. It is the one seam of the project:
 * tests put a kernel of their own behind it. Nothing else is mocked.
 */

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

#include "sys/late_close.h"

/* Each function returns what the system call returns, or a negative errno. EINTR is retried. */
struct perf_ops {
    int (*open)(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                unsigned long flags);
    ssize_t (*read)(void *context, int fd, void *buffer, size_t size);
    int (*ioctl)(void *context, int fd, unsigned long request, unsigned long argument);
    void (*close)(void *context, int fd);
    /* Tells close() that it will take long for this one: sys/late_close.h. NULL: no matter. */
    void (*mark_slow)(void *context, int fd, enum late_close_kind kind);
    void *context;
};

/* The running kernel. */
extern const struct perf_ops perf_ops_kernel;
