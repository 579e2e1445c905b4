/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/*
 * The most threads that there may be at once: the kernel makes no more than kernel.threads-max, and
 * numbers them below kernel.pid_max. procfs: its root. 0: they cannot be read.
 */
uint64_t thread_limit_read(int procfs_fd);
