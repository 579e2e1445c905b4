/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The hierarchy of cgroups that perf events can be bound to: that of the controller perf_event. */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cgroup_root {
    int fd;     /* root directory of its mount, O_RDONLY | O_DIRECTORY; -1: none */
    char *path; /* where that is, for people */
    bool v2;
};

void cgroup_root_done(struct cgroup_root *root);

/*
 * Whether the directory is the root of a whole hierarchy, and thus stands for the machine. The root
 * that a cgroup namespace shows is not; it is a cgroup like others. False also for what is no
 * cgroup.
 *
 * The root is known by a file that only it lacks in v2 ("cgroup.events", cgroup-v2.rst) or only it
 * has in v1 ("release_agent", cgroup-v1/cgroups.rst).
 */
bool cgroup_is_machine(int directory_fd);

/* Whether both have the same directory, or neither has one. */
bool cgroup_root_same(const struct cgroup_root *a, const struct cgroup_root *b);

/*
 * Finds the hierarchy by the list of mounts: a v1 hierarchy with perf_event, if one is mounted
 * (perf events cannot be bound to v2 then); else v2, alone or in hybrid mode. path: if it is not
 * NULL
 * (--path.cgroupfs), this directory is taken, or its "perf_event" or "unified". 0; -ENOENT: there
 * is no hierarchy, or the path is no cgroup file system; -errno.
 */
int cgroup_root_open(const char *path, struct cgroup_root *ret_root);

/*
 * The number of the hierarchy that perf_event belongs to now: 0 is v2, another number is one of v1.
 * When it changes, since somebody has mounted or unmounted a v1 hierarchy with perf_event, the
 * counters of all cgroups stand still without an error, and have to be opened anew. -ENOENT: the
 * kernel has no such controller; -errno: `cgroups` of procfs cannot be read.
 */
int cgroup_perf_event_hierarchy(int procfs_fd);

/*
 * Opens a directory below another one ("a/b", or "." for itself). The way never leaves the
 * directory, follows a symbolic link or crosses a mount (openat2(2) with RESOLVE_BENEATH,
 * RESOLVE_NO_SYMLINKS and RESOLVE_NO_XDEV; name by name where that call is missing or forbidden).
 * The path may be longer than PATH_MAX. Returns a descriptor (O_RDONLY | O_DIRECTORY) or -errno.
 */
int cgroup_open_below(int directory_fd, const char *relative);

/*
 * When an open cgroup directory was made, as a time of day: its birth if the file system keeps
 * that, else the oldest of its times. The cgroup existed at that time; it may be older. kernfs
 * (Linux 6.18) keeps no births. The other times it keeps for good only after somebody has set an
 * attribute of the directory, as systemd does when it starts a unit; before that they are those of
 * the first use since the kernel last dropped the inode. 0: not known.
 */
uint64_t cgroup_created_realtime_ns(int directory_fd);

/*
 * Whether an open cgroup directory has been removed meanwhile. perf_event_open(2) fails with ENOENT
 * both for a cgroup that has gone and for an event that does not exist; this tells which it was.
 */
bool cgroup_is_removed(int directory_fd);
