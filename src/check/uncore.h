/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is said of PMUs that count no core: memory controllers, meters of energy. */

#include "check/output.h"
#include "resolve/resolution.h"

/*
 * Notes where a configuration wants their events for cgroups or processes, where nobody can tell
 * who caused what they count, and ratios of events that no group of the kernel can hold together.
 * 0 or -ENOMEM.
 */
int check_note_uncore(struct check_output *output, const struct resolution *resolution);

/* Prints which of them are counted, and by how many counters. sysfs_fd: the root of sysfs. */
void check_print_uncore(const struct resolution *resolution, int sysfs_fd);
