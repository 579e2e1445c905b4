/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Files that other programs of the host keep, below a directory that is its root. What stands there
 * is not trusted: no link is followed, nothing above the root is reached, nothing waits for whoever
 * has made a pipe, and a file is read as far as a bound. A mount may be crossed, since /run and
 * /var are mounts.
 *
 * openat2(2) does it in one call (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS). Where that is missing, or
 * a filter of system calls forbids it, as that of our own unit, the path is walked name by name.
 */

#include <dirent.h>
#include <stddef.h>

/*
 * Reads a whole regular file. The text has a NUL behind it, and may have some within; the caller
 * frees it. 0; -EFBIG: it has more than `most` bytes; -ELOOP: there is a link on the way; -EXDEV:
 * the path leads above the root; -EINVAL: this is no regular file; -errno.
 */
int host_file_read(int root_fd, const char *path, size_t most, char **ret_text, size_t *ret_n);

/*
 * The same for a file that the user has named, who may name a link. 0 or -errno as above, without
 * -ELOOP and -EXDEV.
 */
int own_file_read(const char *path, size_t most, char **ret_text, size_t *ret_n);

/* Opens a directory, to be listed; the caller closes it. NULL and errno. */
DIR *host_file_list(int root_fd, const char *path);
