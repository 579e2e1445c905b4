/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The directories in a directory, without allocating memory. Names may be longer than NAME_MAX:
 * that of a cgroup may have 4,072 bytes. The inode comes with the name, so that a directory that is
 * known already need not be opened.
 */

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct directory_entries {
    int fd; /* borrowed; its offset moves */
    size_t offset, length;
    alignas(uint64_t) char buffer[32 * 1024];
};

struct directory_entry {
    const char *name; /* until the next call */
    uint64_t inode;
};

/*
 * Whether the directory certainly has no directory in it, by its link count. This is one system
 * call; reading the directory would go through all the files of a cgroup.
 */
bool directory_is_leaf(int fd);

/* Begins with the first entry of the directory that `fd` is open on. */
void directory_entries_init(struct directory_entries *entries, int fd);

/* The next directory but `.` and `..`: 1; 0 at the end; -errno (-ENOENT: it was removed). */
int directory_entries_next(struct directory_entries *entries, struct directory_entry *ret_entry);
