/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the log says of the configuration: config/ returns it, and does not log. */

#include "config/config.h"

/*
 * config_load(). Logs that the built-in default runs, where it does, and warns where others may
 * change what is counted. An error is left to the caller to log: some go on without the file.
 */
int config_log_load(struct object_reader *reader, const char *path, bool may_be_absent,
                    struct config **ret_config, struct config_error *ret_error);

/*
 * Logs a message with the file and with how much it asks for: a file that has lost its end, and
 * is valid all the same, shows there.
 */
void config_log_summary(const char *message, const char *path, const struct config *config);
