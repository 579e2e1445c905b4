/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How many counters of a CPU's core PMU nobody uses now, found by counting with
 * them: a group that is too large may open without an error and never run.
 */

#include "event/event.h"
#include "sys/cpu_list.h"
#include "sys/perf_event.h"

/* The most that is looked for: no PMU has more for one CPU. */
#define PMU_PROBE_MOST 32

/*
 * Counts on the first of the CPUs, for some milliseconds, with groups of the events
 * taken in turns: those that are to be counted, so that counters which can count
 * nothing of them are not free, and one with a counter of its own has it once.
 * Nothing is pinned and nothing stays open. Events of tasks give way to the probe,
 * as they would to what is counted later, so what they use is free too.
 *
 * 0, also where no event can be opened (then none is free); or -errno where the
 * answer would say nothing of the PMU (-EMFILE, -ENODEV for a CPU that is offline).
 */
int pmu_probe_free(const struct perf_ops *ops, const struct event *const *events, size_t n_events,
                   const struct cpu_list *cpus, size_t *ret_free);
