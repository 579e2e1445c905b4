/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

/* It belongs to the whole process, as the limit does. Other threads may read it at any time. */
static _Atomic int reserve;

int descriptors_raise_limit(uint64_t *ret_limit)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
            return -errno;
    }
    *ret_limit = limit.rlim_cur;
    return 0;
}

int descriptors_read_limit(uint64_t *ret_limit)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return -errno;
    *ret_limit = limit.rlim_cur;
    return 0;
}

void descriptors_reserve(uint64_t n)
{
    reserve = n < INT_MAX ? (int)n : INT_MAX;
}

int descriptor_lift(int fd)
{
    const int lowest = reserve;
    int high, error;

    if (fd < 0 || fd >= lowest)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    error = errno == EINVAL ? EMFILE : errno; /* EINVAL: the limit is below the reserve */
    (void)close(fd);
    return high < 0 ? -error : high;
}
