/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Sets of CPUs, as the kernel writes them ("0-3,8"). A CPU number is what the kernel calls the CPU,
 * and what perf_event_open(2) takes. A CPU index is a place in one of these lists. They are
 * different types, so that they cannot be taken for each other.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct cpu_number {
    int value;
};

struct cpu_list {
    size_t n;
    struct cpu_number cpus[]; /* ascending, each once */
};

struct cpu_list *cpu_list_free(struct cpu_list *list);
DEFINE_AUTO(cpu_list, struct cpu_list *, cpu_list_free)

/*
 * text: "0-3,8", or "" for no CPU; there may be a newline at the end. 0; -EINVAL: the text is no
 * list; -ERANGE: a number above 8191; -ENOMEM. The caller owns the list.
 */
int cpu_list_parse(const char *text, struct cpu_list **ret_list);

/* The CPUs that are online, from devices/system/cpu/online below the root of sysfs; -errno. */
int cpu_list_read_online(int sysfs_fd, struct cpu_list **ret_list);

/* The CPUs that the kernel has room for, online or not: devices/system/cpu/possible; -errno. */
int cpu_list_read_possible(int sysfs_fd, struct cpu_list **ret_list);

/* The CPUs with nohz_full; the list is empty where the kernel has none. 0 or -errno. */
int cpu_list_read_nohz_full(int sysfs_fd, struct cpu_list **ret_list);

bool cpu_list_contains(const struct cpu_list *list, struct cpu_number cpu);

bool cpu_list_equal(const struct cpu_list *a, const struct cpu_list *b);

/* The CPUs that are in one of the lists or in both. 0 or -ENOMEM. */
int cpu_list_unite(const struct cpu_list *a, const struct cpu_list *b, struct cpu_list **ret_list);

/* The CPUs of `list` that are not in `without`. 0 or -ENOMEM. */
int cpu_list_subtract(const struct cpu_list *list, const struct cpu_list *without,
                      struct cpu_list **ret_list);
