/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/file_stamp.h"

#include <sys/stat.h>

#include "base/clock.h"

#define CLOCK_TICK_NS (NS_PER_SECOND / 50)

struct file_stamp file_stamp_of(const char *path)
{
    struct stat status;

    if (!path || stat(path, &status) < 0)
        return (struct file_stamp){0};
    return (struct file_stamp){status.st_dev, status.st_ino, status.st_size, status.st_ctim};
}

bool file_stamp_is(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

bool file_stamp_is_in_doubt(const struct file_stamp *stamp, uint64_t begun_ns)
{
    const uint64_t changed_ns =
        (uint64_t)stamp->changed.tv_sec * NS_PER_SECOND + (uint64_t)stamp->changed.tv_nsec;

    return changed_ns + CLOCK_TICK_NS >= begun_ns;
}
