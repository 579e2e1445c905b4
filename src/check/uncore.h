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

/* What is counted of one of them. */
struct check_uncore {
    const char *pmu;
    size_t n_events;    /* that can be counted */
    size_t n_instances; /* of the PMU, which are added up */
    size_t n_sockets;
    size_t n_counters; /* that are open for it: they are not those of a core */
};

/* Shows each PMU whose events targets.system counts. sysfs_fd: the root of sysfs. 0 or -ENOMEM. */
int check_each_uncore(const struct resolution *resolution, int sysfs_fd,
                      void (*visit)(void *object, const struct check_uncore *uncore), void *object);

/* Prints them, a line for each. */
void check_print_uncore(const struct resolution *resolution, int sysfs_fd);
