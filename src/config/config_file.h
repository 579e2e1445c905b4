/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a file is read whose text must not be half of what was meant. */

#include <stddef.h>

#include "config/config.h"

/*
 * Reads a regular file into a buffer of YAML_READER_LARGEST + 1 bytes, as config_read() tells.
 * A longer one fills the buffer. 0; -EINVAL with the error filled; another -errno.
 */
int config_file_read(const char *path, char *buffer, size_t *ret_length,
                     struct config_error *ret_error);
