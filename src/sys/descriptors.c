/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

/* It belongs to the whole process, as the limit does. Other threads may read it at any time. */
static _Atomic int reserve, wanted_free;

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

void descriptors_reserve(uint64_t n, uint64_t wanted)
{
    reserve = n < INT_MAX ? (int)n : INT_MAX;
    wanted_free = wanted < INT_MAX ? (int)wanted : INT_MAX;
}

/* Whether there are more free numbers below the reserve than are wanted there. */
static bool may_stay_below(int lowest)
{
    uint64_t limit = 0;
    int n = 0;

    (void)descriptors_read_limit(&limit);
    for (int fd = 0; fd < lowest && (uint64_t)fd < limit; fd++)
        n += fcntl(fd, F_GETFD) < 0;
    return n > wanted_free;
}

int descriptor_lift(int fd)
{
    const int lowest = reserve;
    int high, error;

    if (fd < 0 || fd >= lowest)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    error = errno == EINVAL ? EMFILE : errno; /* EINVAL: the limit is below the reserve */
    if (high < 0 && error == EMFILE && may_stay_below(lowest))
        return fd;
    (void)close(fd);
    return high < 0 ? -error : high;
}
