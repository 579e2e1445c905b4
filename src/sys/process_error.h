/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How procfs says that a process is not there. */

#include <errno.h>
#include <sys/types.h>

/* Room for a path below procfs with two numbers in it. */
#define PROCESS_PATH_SIZE (6 * sizeof(pid_t) + sizeof("/task//children"))

/* -ESRCH for every way of saying that it is not there any more, or not for us. */
static inline int process_error(int r)
{
    return r == -ENOENT || r == -EACCES || r == -EPERM || r == -ENOTDIR ? -ESRCH : r;
}
