/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A recording as the object that the service takes as a run of somebody else. */

#include <jansson.h>

#include "run/recording.h"
#include "tool/stat/options.h"

/* Who was counted, in words: "command", "machine", "cgroup:/a". NULL: no memory. */
char *stat_keep_target(const struct stat_options *options);

/* The words of the command, with blanks between them, cut where they are many. NULL: no memory. */
char *stat_keep_command(char *const *command);

/* NULL: no memory. */
json_t *stat_keep_json(const struct recording *recording);

/* How many bytes a number takes there at most. */
size_t stat_keep_bytes(double value);
