/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* All cgroups that there are at a moment, for who looks once. */

#include <stddef.h>

struct cgroup_list {
    char **paths; /* raw bytes below the root, "/a/b", parents before their children */
    size_t n;
};

/*
 * At most `most` of them, the upper ones first; without the root. root_fd as in cgroup_targets.h.
 * What vanishes meanwhile was not there. 0, -ENOMEM, or -errno where the root cannot be read.
 */
int cgroup_list_read(int root_fd, size_t most, struct cgroup_list *ret_list);
void cgroup_list_done(struct cgroup_list *list);
