/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "config/config.h"

/* Prints what the rules of targets.processes match now (check/matches.h). 0, or -errno: the
 * processes cannot be looked at. */
int check_print_process_matches(const char *path, const struct config *config, int procfs_fd);
