/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How many counters of a CPU's core PMU nobody uses now. This is found by counting with them, since
 * a group that is too large may be opened without an error and never run.
 */

#include "event/event.h"
#include "sys/cpu_list.h"
#include "sys/perf_event.h"
#include "sys/pmu.h"

/* No more counters than these are looked for: no PMU has more on a CPU. */
#define PMU_PROBE_MOST 32

/*
 * Counts on the first of the CPUs for some milliseconds, with groups of these events, which are
 * taken in turns. They are the events that are to be counted: so counters that can count none of
 * them are not taken for free, and an event that has a counter of its own takes it only once.
 * Nothing is pinned, and nothing stays open. Counters that events of tasks use are free, too: such
 * events give way to the probe, as they will to what is counted later.
 *
 * hybrid: as in struct scope. The events are those that the first of the CPUs can count.
 *
 * 0, also where no event can be opened (then no counter is free). -errno where the kernel's answer
 * is not about the PMU (-EMFILE; -ENODEV: the CPU is offline).
 */
int pmu_probe_free(const struct perf_ops *ops, const struct event *const *events, size_t n_events,
                   const struct cpu_list *cpus, const struct pmu_list *hybrid, size_t *ret_free);
