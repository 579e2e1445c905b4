/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* On which CPUs targets ran, for the history: of the machine by the kernel's accounting, of cgroups
 * and of processes that are counted whole by the readings of their counters, which are on each CPU.
 * Counters of threads have no CPU. */

#include "metric/snapshot.h"

struct collector;

/*
 * The times of the targets of the roster, which is the collector's; once in ten seconds, by the
 * clock of the day, and else NULL; also where there is no memory.
 */
struct snapshot_cpus *collector_cpu_times(struct collector *collector, uint64_t realtime_ns);
