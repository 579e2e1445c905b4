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

/* Parses the numbers behind the name of a line. */
static int parse_times(const char *cursor, struct cpu_time *ret_time)
{
    const uint64_t ns_per_tick = NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t ticks[FIELDS_];

    for (size_t i = 0; i < FIELDS_; i++)
        if (!parse_ticks(&cursor, &ticks[i]))
            return -EINVAL;
    *ret_time = (struct cpu_time){
        .user_ns = (ticks[USER] + ticks[NICE]) * ns_per_tick,
        .system_ns = (ticks[SYSTEM] + ticks[IRQ] + ticks[SOFTIRQ]) * ns_per_tick,
    };
    return 0;
}

int cpu_time_parse(const char *text, struct cpu_time *ret_time)
{
    return strncmp(text, "cpu ", strlen("cpu ")) == 0 ? parse_times(text + strlen("cpu"), ret_time)
                                                      : -EINVAL;
}

/* Whether a line is of a CPU: then its number, and where the line goes on. */
static bool parse_number(const char *line, int *ret_number, const char **ret_rest)
{
    char *end;

    if (strncmp(line, "cpu", strlen("cpu")) != 0 || line[3] < '0' || line[3] > '9')
        return false;
    *ret_number = (int)strtol(line + strlen("cpu"), &end, 10);
    *ret_rest = end;
    return true;
}

void cpu_time_parse_each(const char *text, const struct cpu_list *cpus, uint64_t *ret_busy_ns)
{
    size_t i = 0;

    for (size_t cpu = 0; cpu < cpus->n; cpu++)
        ret_busy_ns[cpu] = UINT64_MAX;
    for (const char *line = text; *line && i < cpus->n;) {
        const char *rest = strchr(line, '\n');
        struct cpu_time time;
        int number;

        if (parse_number(line, &number, &line)) {
            while (i < cpus->n && cpus->cpus[i].value < number)
                i++;
            if (i < cpus->n && cpus->cpus[i].value == number && parse_times(line, &time) == 0)
                ret_busy_ns[i] = time.user_ns + time.system_ns;
        }
        line = rest ? rest + 1 : "";
    }
}

static int read_beginning(int procfs_fd, char *text, size_t size)
{
    AUTO_CLOSE int fd = (int)TEMP_FAILURE_RETRY(openat(procfs_fd, "stat", O_RDONLY | O_CLOEXEC));
    size_t length = 0;

    if (fd < 0)
        return -errno;
    while (length < size - 1) {
        ssize_t n = TEMP_FAILURE_RETRY(read(fd, text + length, size - 1 - length));

        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    text[length] = '\0';
    return 0;
}

int cpu_time_read(int procfs_fd, struct cpu_time *ret_time)
{
    char text[FIRST_LINE + 1];
    int r = read_beginning(procfs_fd, text, sizeof(text));

    return r < 0 ? r : cpu_time_parse(text, ret_time);
}

/* The lines of CPUs come first, in order. */
int cpu_time_read_each(int procfs_fd, const struct cpu_list *cpus, uint64_t *ret_busy_ns,
                       struct cpu_time *ret_all)
{
    const size_t size = (cpus->n + 1) * FIRST_LINE + 1;
    AUTO_FREE char *text = calloc(1, size);
    int r = text ? read_beginning(procfs_fd, text, size) : -ENOMEM;

    if (r >= 0 && ret_all)
        r = cpu_time_parse(text, ret_all);
    if (r >= 0)
        cpu_time_parse_each(text, cpus, ret_busy_ns);
    return r;
}
