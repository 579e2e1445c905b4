/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How long the machine's CPUs have been busy since boot, by the kernel's accounting: the first line
 * of /proc/stat (proc(5)), in steps of USER_HZ, a hundredth of a second.
 *
 * Busy are user, nice, system, irq and softirq. The time of guests is in user and nice already.
 * Stolen time does not count: the hypervisor gave it to others, and nothing here used it. Idle and
 * iowait are not read: iowait is idle time, and both may go backwards.
 */

#include <stdint.h>

#include "sys/cpu_list.h"

struct cpu_time {
    uint64_t user_ns;   /* user and nice, of all CPUs together */
    uint64_t system_ns; /* system, irq and softirq */
};

/* text: the file or its beginning, NUL-terminated. 0; -EINVAL: it has another form. */
int cpu_time_parse(const char *text, struct cpu_time *ret_time);

/*
 * text: the file or its beginning. Tells for each of the CPUs for how long it was busy, in ns;
 * UINT64_MAX: there is no line of it, as where it is offline.
 */
void cpu_time_parse_each(const char *text, const struct cpu_list *cpus, uint64_t *ret_busy_ns);

/*
 * The same of the file `stat` below the root of procfs. ret_all: also the times of all CPUs
 * together, of the same instant; NULL: they are not wanted. 0 or -errno.
 */
int cpu_time_read_each(int procfs_fd, const struct cpu_list *cpus, uint64_t *ret_busy_ns,
                       struct cpu_time *ret_all);

/* Reads the file `stat` below the root of procfs. 0 or -errno. */
int cpu_time_read(int procfs_fd, struct cpu_time *ret_time);
