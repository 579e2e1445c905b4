/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * PMUs that count no core (resolve/uncore.h) beside a machine that is counted: their events are
 * opened where the kernel names a CPU for them, and nowhere else, since each of these counts for a
 * whole socket.
 */

#include "count/event_group.h"
#include "sys/pmu.h"
#include "tool/stat/events.h"

struct stat_uncore {
    const char *pmu;             /* borrowed of an event */
    struct cpu_list *cpus;       /* a CPU once for each instance that is opened on it */
    uint32_t *types;             /* of the instances */
    struct event_groups *groups; /* those of all events, of which only its own are opened */
};

struct stat_uncores {
    struct stat_uncore *pmus;
    size_t n;
    struct event_groups *others; /* the same groups, of which only events of no such PMU are opened;
                                    NULL: there is no such PMU */
};

/*
 * Finds the PMUs of the events. pmus: those of the machine. only: the CPUs of -C; NULL: all. 0 or
 * -errno. To be ended by stat_uncores_done() in any case.
 */
int stat_uncores_find(const struct stat_events *events, int sysfs_fd, const struct pmu_list *pmus,
                      const struct cpu_list *only, struct stat_uncores *ret_uncores);

/*
 * Asks the kernel which of their events can be counted where the PMUs are, makes the groups, and
 * enters the absences into those of the events, which stat_events_probe() has made. 0 or -errno.
 */
int stat_uncores_probe(struct stat_uncores *uncores, const struct stat_events *events);

/* Where a PMU is opened. */
struct scope stat_uncore_scope(const struct stat_uncore *uncore);

void stat_uncores_done(struct stat_uncores *uncores);
