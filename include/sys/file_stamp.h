/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What tells whether a file has changed since it was read. It is asked for by name, as inotify
 * would not see what a symbolic link leads to now, and Kubernetes changes files so.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct file_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed; /* the status, st_ctim; all zero: there is no file */
};

/* path: a link is followed. All zero for NULL, too. */
struct file_stamp file_stamp_of(const char *path);
bool file_stamp_is(const struct file_stamp *a, const struct file_stamp *b);

/*
 * Whether the file may have changed while it was read, so that it has to be read again. begun_ns:
 * when reading began, by clock_realtime_ns(). The kernel's time stamps are those of the last tick
 * of its clock.
 */
bool file_stamp_is_in_doubt(const struct file_stamp *stamp, uint64_t begun_ns);
