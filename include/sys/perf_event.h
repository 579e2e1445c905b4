/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * perf_event_open(2) and what is done with its descriptors: the one seam of the
 * project. Tests put a kernel of their own behind it; nothing else is mocked.
 */

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

#include "sys/cpu_list.h"

/* Each returns what the call returns, or a negative errno. EINTR is retried inside. */
struct perf_ops {
    int (*open)(void *context, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                unsigned long flags);
    ssize_t (*read)(void *context, int fd, void *buffer, size_t size);
    int (*ioctl)(void *context, int fd, unsigned long request, unsigned long argument);
    void (*close)(void *context, int fd);
    void *context;
};

/* The running kernel. */
extern const struct perf_ops perf_ops_kernel;

/*
 * Whether a cgroup directory that is open here has been removed meanwhile: tells
 * the ENOENT of a cgroup that has gone from that of an event that does not exist.
 */
bool cgroup_is_removed(int directory_fd);

/*
 * Moves the calling thread to one CPU, so that events of that CPU are opened
 * without an interrupt to another. Returns 0 or -errno: the thread is then where
 * it was, and opening still works, only slower.
 */
int thread_move_to_cpu(struct cpu_number cpu);

/* The thread's CPUs as they stand, and back again. Plain bytes of a cpu_set_t, owned by the caller.
 */
struct thread_cpus;
struct thread_cpus *thread_cpus_save(void);                        /* NULL if there is no memory */
struct thread_cpus *thread_cpus_restore(struct thread_cpus *cpus); /* frees; returns NULL */
