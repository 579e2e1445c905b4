/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The CPU time that a cgroup of v2 has used with all below it, which the kernel tells without
 * rights. */

#include <stdint.h>

/* From the text of cpu.stat. 0; -EINVAL: it is not there. */
int cgroup_usage_parse(const char *text, uint64_t *ret_usec);

/* From a directory of it. 0; -ENOENT in v1; -errno. */
int cgroup_usage_read(int directory_fd, uint64_t *ret_usec);
