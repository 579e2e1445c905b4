/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kernel makes the text of the whole file even if only its first line is read. That takes
 * longer the more interrupts and CPUs there are: 10 us on two CPUs. So the file is read once in a
 * cycle, and not for each number.
 */
#include "sys/cpu_time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define FIRST_LINE 512 /* "cpu", and ten numbers of 20 digits at most */

enum field { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, FIELDS_ };

/* Parses the next number of the line. False: there is none. */
static bool parse_ticks(const char **cursor, uint64_t *ret_ticks)
{
    const char *begin = *cursor + strspn(*cursor, " ");
    char *end;

    if (*begin < '0' || *begin > '9')
        return false;
    errno = 0;
    *ret_ticks = strtoull(begin, &end, 10);
    *cursor = end;
    return errno == 0 && (*end == ' ' || *end == '\n' || *end == '\0');
}

int cpu_time_parse(const char *text, struct cpu_time *ret_time)
{
    const uint64_t ns_per_tick = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
    const char *cursor = text + strlen("cpu");
    uint64_t ticks[FIELDS_];

    if (strncmp(text, "cpu ", strlen("cpu ")) != 0)
        return -EINVAL;
    for (size_t i = 0; i < FIELDS_; i++)
        if (!parse_ticks(&cursor, &ticks[i]))
            return -EINVAL;
    *ret_time = (struct cpu_time){
        .user_ns = (ticks[USER] + ticks[NICE]) * ns_per_tick,
        .system_ns = (ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ]) * ns_per_tick,
    };
    return 0;
}

int cpu_time_read(int procfs_fd, struct cpu_time *ret_time)
{
    AUTO_CLOSE int fd = (int)TEMP_FAILURE_RETRY(openat(procfs_fd, "stat", O_RDONLY | O_CLOEXEC));
    char text[FIRST_LINE + 1];
    ssize_t n;

    if (fd < 0)
        return -errno;
    n = TEMP_FAILURE_RETRY(read(fd, text, FIRST_LINE));
    if (n < 0)
        return -errno;
    text[n] = '\0';
    return cpu_time_parse(text, ret_time);
}
