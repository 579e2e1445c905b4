/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opening what stands below a directory, whoever moves things there meanwhile. openat2(2) does it
 * in one call. It is missing before Linux 5.6, and under system call filters that forbid to make
 * set-user-ID files (systemd's RestrictSUIDSGID=): such a filter cannot see the flags of openat2,
 * and answers ENOSYS. Then a path is walked name by name, with the second function.
 */

#include <stdint.h>

/* resolve: RESOLVE_BENEATH and others of openat2(2). The descriptor or -errno. */
int open_beneath(int directory_fd, const char *path, int flags, uint64_t resolve);

/*
 * Opens one name of a directory, with the errors that openat2 would give: -EXDEV for "..", -ELOOP
 * for a symbolic link.
 */
int open_name_beneath(int directory_fd, const char *name, int flags);
