/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Finds the mounts of cgroup file systems in /proc/PID/mounts. */

#include <stdbool.h>
#include <stdio.h>

/* Room for a line: a path with all its escapes, and the rest, which may be cut off. */
#define CGROUP_MOUNT_SIZE 32768

struct cgroup_mount {
    const char *path; /* in the buffer */
    bool v2;
};

/*
 * Finds the next mount of v2, or of a v1 hierarchy with this controller. mounts: the file
 * /proc/PID/mounts (proc(5)); lines of another form are passed over. False: the end of the file.
 */
bool cgroup_mount_next(FILE *mounts, const char *controller, char buffer[CGROUP_MOUNT_SIZE],
                       struct cgroup_mount *ret_mount);

/*
 * The number of the hierarchy that the controller belongs to, from the text of /proc/cgroups; 0 is
 * v2. -ENOENT: the controller has no line; -EINVAL: its line has another form.
 */
int cgroup_parse_hierarchy(const char *text, const char *controller);
