/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Lists all cgroups once, for a command that looks and ends. The service uses cgroup_targets.h. */

#include <stddef.h>

struct cgroup_list {
    char **paths; /* raw bytes from the root on, "/a/b"; parents come before their children */
    size_t n;
};

/*
 * Lists at most `most` cgroups, upper levels first, without the root. root_fd is the one that
 * cgroup_targets_new() takes. A cgroup that vanishes meanwhile is left out. 0; -ENOMEM; -errno if
 * the root cannot be read.
 */
int cgroup_list_read(int root_fd, size_t most, struct cgroup_list *ret_list);
void cgroup_list_done(struct cgroup_list *list);
