/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a file is read and parsed whose text must not be half of what was meant. */

#include <stddef.h>

#include "config/config.h"

/*
 * Reads a regular file into a buffer of YAML_READER_LARGEST + 1 bytes, as config_read() tells.
 * A longer one fills the buffer. 0; -EINVAL with the error filled; another -errno.
 */
int config_file_read(const char *path, char *buffer, size_t *ret_length,
                     struct config_error *ret_error);

/* config_parse(), for which `walls` has the text taken apart; NULL: that is done here. */
int config_parse_by(struct object_reader *walls, const char *text, size_t length,
                    struct config **ret_config, struct config_error *ret_error);
