/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the kernel lets us count cgroups: the mount of the hierarchy that perf_event belongs to. */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cgroup_root {
    int fd;     /* the mount's root directory, O_RDONLY | O_DIRECTORY */
    char *path; /* for people */
    bool v2;
};

void cgroup_root_done(struct cgroup_root *root);

/*
 * Whether the directory is the root of a whole hierarchy, and so the machine; not the root that
 * a cgroup namespace shows, which is a cgroup like others. False for what is no cgroup.
 * Kernel: files that a root alone lacks (cgroup-v2.rst, "cgroup.events") or has
 * (cgroup-v1/cgroups.rst, "release_agent").
 */
bool cgroup_is_machine(int directory_fd);

/* Whether both are the same directory, or both are none. */
bool cgroup_root_same(const struct cgroup_root *a, const struct cgroup_root *b);

/*
 * Finds it by the mounts that there are: a v1 hierarchy with perf_event where one is mounted
 * (then v2 does not count), else v2, pure or hybrid. `path` (--path.cgroupfs)
 * overrides: that directory, or its "unified" or "perf_event" below.
 * 0; -ENOENT: there is none, or the path is no cgroup file system; -errno.
 */
int cgroup_root_open(const char *path, struct cgroup_root *ret_root);

/*
 * Which hierarchy perf_event belongs to now: 0 is v2, another number a v1 one. When it
 * changes (somebody mounts or unmounts a v1 hierarchy with it), the counters of all
 * cgroups stand still without an error, and only opening afresh helps. -ENOENT: the
 * kernel has no such controller; -errno where `cgroups` of procfs cannot be read.
 */
int cgroup_perf_event_hierarchy(int procfs_fd);

/*
 * Opens a directory below another one ("a/b", or "." for itself) without ever
 * leaving it, following a link or crossing a mount (openat2, RESOLVE_BENEATH |
 * RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV; where that call is missing or forbidden,
 * name by name). The path may be longer than PATH_MAX. A descriptor, O_RDONLY | O_DIRECTORY, or
 * -errno.
 */
int cgroup_open_below(int directory_fd, const char *relative);

/*
 * When a cgroup directory that is open here was made, as a time of day: its birth where the file
 * system keeps that, else the oldest of its times. The cgroup stood by then at the latest: kernfs
 * (Linux 6.18) keeps no births; its times are those of the directory's first use since the kernel
 * last forgot it, or, for good, of the first attribute that somebody gave it, as systemd does
 * when it starts a unit. 0: not known.
 */
uint64_t cgroup_created_realtime_ns(int directory_fd);

/*
 * Whether a cgroup directory that is open here has been removed meanwhile: tells
 * the ENOENT of a cgroup that has gone from that of an event that does not exist.
 */
bool cgroup_is_removed(int directory_fd);
