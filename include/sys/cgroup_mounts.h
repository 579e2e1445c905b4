/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where cgroup file systems are mounted, by the list of mounts that the kernel has for us. */

#include <stdbool.h>
#include <stdio.h>

/* A path with all its escapes, and the rest of the line: what does not fit is cut off there. */
#define CGROUP_MOUNT_SIZE 32768

struct cgroup_mount {
    const char *path; /* in the buffer */
    bool v2;
};

/*
 * The next mount of v2, or of a v1 hierarchy with the controller. mounts: text of proc(5)'s
 * /proc/PID/mounts, in which lines that are none of a mount are passed over. False at its end.
 */
bool cgroup_mount_next(FILE *mounts, const char *controller, char buffer[CGROUP_MOUNT_SIZE],
                       struct cgroup_mount *ret_mount);

/*
 * Which hierarchy the controller belongs to, from the text of /proc/cgroups; a number, 0: v2.
 * -ENOENT: it has no line; -EINVAL: its line is not understood.
 */
int cgroup_parse_hierarchy(const char *text, const char *controller);
