/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The limit of memory that the cgroup of this process has, or one that contains it: of cgroup v2
 * (memory.max, and memory.high, above which the kernel slows down), or of v1
 * (memory.limit_in_bytes). The kernel kills whoever needs more.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How it stands in the cgroup that is nearest to its limit. */
struct memory_room {
    uint64_t limit; /* bytes; 0: there is no limit, or it is not known */
    uint64_t used;  /* bytes, without pages of files, which the kernel takes back before all else */
};

/* Bytes that are left. 0: none, or there is no limit. */
static inline uint64_t memory_room_left(const struct memory_room *room)
{
    return room->limit > room->used ? room->limit - room->used : 0;
}

struct memory_limit {
    int fd;            /* the directory of the cgroup; -1: it is not known, or has no limits */
    bool v2;           /* the hierarchy that it is of */
    char own[4096];    /* /proc/self/cgroup, by which it was found */
    size_t n_levels;   /* it, and the cgroups that contain it, as far as they are mounted */
    uint64_t retry_ns; /* CLOCK_MONOTONIC: it is not looked for again before */
};

void memory_limit_init(struct memory_limit *limit);
void memory_limit_done(struct memory_limit *limit);

/*
 * Reads how it stands now, with some small files for each level. Where the process was moved, its
 * new cgroup is looked for. procfs_fd: a procfs that shows this process as `self`.
 */
struct memory_room memory_limit_read(struct memory_limit *limit, int procfs_fd);

/* The number of the line "name number" in a text such as memory.stat. False: there is none. */
bool memory_stat_value(const char *text, const char *name, uint64_t *ret_value);
