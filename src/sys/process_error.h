/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What errors of procfs mean for a process. */

#include <errno.h>
#include <sys/types.h>

/* Room for a path below procfs with two numbers in it. */
#define PROCESS_PATH_SIZE (6 * sizeof(pid_t) + sizeof("/task//children"))

/* Makes -ESRCH of every errno by which procfs says that a process has gone or is hidden from us. */
static inline int process_error(int r)
{
    return r == -ENOENT || r == -EACCES || r == -EPERM || r == -ENOTDIR ? -ESRCH : r;
}
