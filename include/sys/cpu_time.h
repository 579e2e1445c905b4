/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the machine's CPUs have done since boot, by the kernel's accounting: the first line of
 * /proc/stat (proc(5)), in steps of USER_HZ, a hundredth of a second.
 *
 * Not idle is user, nice, system, irq and softirq. Guests are in user and nice already. Stolen time
 * is not in it: the hypervisor gave it to others, and nothing here used it. Idle and iowait are not
 * asked for: iowait is idle, and both may fall.
 */

#include <stdint.h>

struct cpu_time {
    uint64_t user_ns;   /* user and nice, of all CPUs together */
    uint64_t system_ns; /* system, irq and softirq */
};

/* The text of the file, or its begin; NUL-terminated. 0; -EINVAL where it begins otherwise. */
int cpu_time_parse(const char *text, struct cpu_time *ret_time);

/* The same of `stat` in procfs. 0 or -errno. */
int cpu_time_read(int procfs_fd, struct cpu_time *ret_time);
