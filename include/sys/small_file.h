/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How small files of sysfs, procfs and tracefs are read. */

#include <dirent.h>
#include <stddef.h>

#include "base/cleanup.h"

DEFINE_AUTO(directory, DIR *, closedir)

/*
 * Reads a whole file below the directory, and ends it with a NUL. 0; -EFBIG: it does not fit with
 * its NUL; -EINVAL: it holds a NUL, and is no text; -ELOOP: it is a symbolic link; -errno. ret_text
 * is untouched if the file cannot be opened.
 */
int small_file_read(int directory_fd, const char *path, char *ret_text, size_t size);

/* Opens a directory below another one, to be listed. NULL and errno. */
DIR *small_file_list(int directory_fd, const char *path);
