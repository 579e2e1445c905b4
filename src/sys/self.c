/* SPDX-License-Identifier: Apache-2.0 */

/*
 * CPU time is read from the clock of the process, which is exact to the nanosecond; /proc/self/stat
 * has it only in hundredths of a second.
 */
#include "sys/self.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "sys/process.h"
#include "sys/self_stat.h"
#include "sys/small_file.h"

static uint64_t read_clock(clockid_t id)
{
    struct timespec now = {0};

    (void)clock_gettime(id, &now); /* cannot fail: both clocks exist on every Linux */
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static int list_fds(int procfs_fd, uint64_t *ret_count)
{
    AUTO(directory) DIR *directory = small_file_list(procfs_fd, "self/fd");
    const struct dirent *entry;
    uint64_t count = 0;

    if (!directory)
        return -errno;
    while ((entry = readdir(directory)))
        count += entry->d_name[0] != '.';
    *ret_count = count - (count > 0); /* the directory itself was one of them */
    return 0;
}

/* Since Linux 6.2 the size of the directory is the number of descriptors; before, it is 0. */
static int count_fds(int procfs_fd, uint64_t *ret_count)
{
    struct stat stat;

    if (fstatat(procfs_fd, "self/fd", &stat, 0) < 0)
        return -errno;
    if (stat.st_size <= 0)
        return list_fds(procfs_fd, ret_count);
    *ret_count = (uint64_t)stat.st_size;
    return 0;
}

int self_stats_read(int procfs_fd, struct self_stats *ret_stats)
{
    char text[2048];
    struct self_stat stat = {0};
    struct rlimit limit;
    uint64_t open_fds = 0;
    int r = small_file_read(procfs_fd, "self/stat", text, sizeof(text));

    if (r == 0)
        r = self_stat_parse(text, &stat);
    if (r == 0)
        r = count_fds(procfs_fd, &open_fds);
    if (r < 0)
        return r;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    *ret_stats = (struct self_stats){
        .cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID),
        .resident_bytes = stat.resident_pages * (uint64_t)sysconf(_SC_PAGESIZE),
        .virtual_bytes = stat.virtual_bytes,
        .open_fds = open_fds,
        .max_fds = limit.rlim_cur,
        .start_time_realtime_ns = process_start_realtime_ns(stat.start_ticks),
        .threads = stat.threads,
    };
    return 0;
}
