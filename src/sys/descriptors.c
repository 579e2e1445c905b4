/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/descriptors.h"

#include <errno.h>
#include <sys/resource.h>

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
