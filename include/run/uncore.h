/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * PMUs that count no core (resolve/uncore.h) beside a machine that is counted: their events are
 * opened where the kernel names a CPU for them, and nowhere else, since each of these counts for a
 * whole socket.
 */

#include "count/event_group.h"
#include "run/events.h"
#include "sys/pmu.h"

struct run_uncore {
    const char *pmu;             /* borrowed of an event */
    struct cpu_list *cpus;       /* a CPU once for each instance that is opened on it */
    uint32_t *types;             /* of the instances */
    struct event_groups *groups; /* those of all events, of which only its own are opened */
};

struct run_uncores {
    struct run_uncore *pmus;
    size_t n;
    struct event_groups *others; /* the same groups, of which only events of no such PMU are opened;
                                    NULL: there is no such PMU */
};

/*
 * Finds the PMUs of the events. pmus: those of the machine. only: the CPUs of -C; NULL: all. 0 or
 * -errno. To be ended by run_uncores_done() in any case.
 */
int run_uncores_find(const struct run_events *events, int sysfs_fd, const struct pmu_list *pmus,
                     const struct cpu_list *only, struct run_uncores *ret_uncores);

/*
 * Asks the kernel which of their events can be counted where the PMUs are, makes the groups, and
 * enters the absences into those of the events, which run_events_probe() has made. 0 or -errno.
 */
int run_uncores_probe(struct run_uncores *uncores, const struct run_events *events);

/* Where a PMU is opened. */
struct scope run_uncore_scope(const struct run_uncore *uncore);

void run_uncores_done(struct run_uncores *uncores);
