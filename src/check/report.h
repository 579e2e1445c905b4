/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool check config` and `pmu_exporter --config.check` print. */

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "config/config.h"

/* The exit status for a configuration, or a command line, that is not valid. */
#define EXIT_BAD_CONFIG 2

/* One line for what config_read() returned: FILE:LINE:COLUMN: message, or FILE: why. */
void config_describe_failure(const char *path, int r, const struct config_error *error,
                             struct text *text);

/* The same on stderr. */
void config_print_failure(const char *path, int r, const struct config_error *error);

/*
 * Reads the file and prints a summary with every event, and why it cannot be
 * counted on this machine where it cannot, and by which mechanism the others are; errors go to
 * stderr as FILE:LINE:COLUMN: message. may_be_absent: where there is no such file the built-in
 * default is looked at. sysfs: where that is mounted. Returns the exit status: 0, or 2 for a
 * configuration that is not valid or cannot be read.
 */
int config_report(const char *path, bool may_be_absent, const char *sysfs);
