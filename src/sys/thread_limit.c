/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread_limit.h"

#include <stdlib.h>

#include "sys/small_file.h"

/* The number that a file holds; 0: it cannot be read. */
static uint64_t read_number(int procfs_fd, const char *path)
{
    char text[32];

    return small_file_read(procfs_fd, path, text, sizeof(text)) < 0 ? 0 : strtoull(text, NULL, 10);
}

uint64_t thread_limit_read(int procfs_fd)
{
    const uint64_t threads = read_number(procfs_fd, "sys/kernel/threads-max");
    const uint64_t numbers = read_number(procfs_fd, "sys/kernel/pid_max");

    return threads < numbers ? threads : numbers;
}
