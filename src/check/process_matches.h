/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "check/output.h"
#include "config/config.h"

/* Prints what the rules of targets.processes match now (check/matches.h). 0, or -errno: the
 * processes cannot be looked at. */
int check_print_process_matches(struct check_output *output, const struct config *config,
                                int procfs_fd);
