/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool check config` and `pmu_exporter --config.check` print. */

#include <stdbool.h>

#include "config/config.h"

/* The exit status for a configuration, or a command line, that is not valid. */
#define EXIT_BAD_CONFIG 2

/* Prints config_describe_failure() on stderr. */
void check_print_failure(const char *path, int r, const struct config_error *error);

/*
 * Reads the file and prints what it comes to on this machine: each event, what the rules match, by
 * which mechanism is counted, with which share of the PMU, and what is left out and why. Errors go
 * to stderr as FILE:LINE:COLUMN: message. may_be_absent: where there is no such file the built-in
 * default is looked at. sysfs: where that is mounted. Returns the exit status: 0, or 2 for a
 * configuration that is not valid or cannot be read.
 */
int check_report(const char *path, bool may_be_absent, const char *sysfs);
