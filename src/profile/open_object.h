/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Opens what a process has mapped: that file, and no other that may stand at its path by now. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct object_place {
    const char *path;       /* as the kernel shows it */
    uint64_t device, inode; /* device: 12 bits of major, 20 of minor; both 0: the vDSO */
    pid_t pid;              /* where it is mapped */
    uint64_t start, end;
};

/*
 * Opens it for reading: by its path, if the file there is the one that is mapped; else by
 * /proc/PID/map_files, which takes the rights of ptrace(2). The vDSO is a copy of our own: the
 * kernel gives all processes the same one. Nothing else that stands at the path is opened. A
 * descriptor that the caller closes, or -errno; -ESTALE: another file stands at the path.
 */
int open_object(int procfs_fd, const struct object_place *place);

/*
 * Opens for reading what was found with O_PATH. Where somebody else has chosen the path, it may
 * lead to a device or a FIFO, which would notice that it is opened: so a file is found first, and
 * opened when it is known to be the one. A descriptor that the caller closes, or -errno.
 */
int open_found(int found);

/* Whether the file stands at the path in what we have mounted. It is not opened for that. */
bool object_is_at_path(const struct object_place *place);

/*
 * Opens the file with the symbols of a program or library, as Debian's packages install them, by
 * its build id: /usr/lib/debug/.build-id/12/34….debug. Only root may have made it. -1: there is
 * none.
 */
int open_debug_object(const uint8_t *build_id, size_t n);
