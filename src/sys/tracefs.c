/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tracefs.h"

#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"

/* Where tracefs is mounted, below the root of sysfs. */
static const char *const mount_points[] = {"kernel/tracing", "kernel/debug/tracing"};

int tracefs_open(int sysfs_fd)
{
    int r = -ENOENT;

    for (size_t i = 0; i < ARRAY_SIZE(mount_points); i++) {
        AUTO_CLOSE int fd = openat(sysfs_fd, mount_points[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

        /* The mount point is there without a mount, too: then it is an empty directory. */
        if (fd >= 0 && faccessat(fd, "events", F_OK, 0) == 0)
            return TAKE_FD(fd);
        if (errno == EACCES)
            r = -EACCES;
    }
    return r;
}
