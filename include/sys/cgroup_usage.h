/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The CPU time that a cgroup of v2 and all cgroups below it have used. Everybody may read it.
 */

#include <stdint.h>

/* From the text of cpu.stat. 0; -EINVAL: the text does not have it. */
int cgroup_usage_parse(const char *text, uint64_t *ret_usec);

/* From the cgroup's directory. 0; -ENOENT: the directory is of cgroup v1; -errno. */
int cgroup_usage_read(int directory_fd, uint64_t *ret_usec);
