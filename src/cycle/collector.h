/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The cycle: discover, open or close, read, derive, publish. The collector calls
 * the stages and nothing calls back. It belongs to one thread; what it publishes
 * is read by another.
 */

#include <stdbool.h>

#include "cycle/setup.h"

struct collector;

/*
 * Asks the kernel what can be counted and logs what cannot. 0 or -errno.
 *
 * predecessor: another collector with the same mechanism and slot, or NULL. What
 * both count goes on in the new one, with its open counters and its totals, and
 * what lingers there lingers here; the predecessor is then only to be freed. On
 * failure it stands as it was and goes on.
 */
int collector_new(const struct collector_setup *setup, struct collector *predecessor,
                  struct collector **ret_collector);
struct collector *collector_free(struct collector *collector);
DEFINE_AUTO(collector, struct collector *, collector_free)

/* Notes on /metrics whether the last attempt to reload the configuration was good. */
void collector_note_reload(struct collector *collector, bool good);

/* How many CPUs are counted on. */
size_t collector_n_cpus(const struct collector *collector);

/* Shows on /metrics the share of the CPUs' time that was in doubt; NaN: it is not known. */
void collector_note_doubt(struct collector *collector, double share);

/*
 * Pauses the counting of hardware events until that time (CLOCK_REALTIME, which is
 * shown), or, with 0, ends the pause. It is for the caller to end it. What is born
 * meanwhile, and a successor, are paused too.
 */
void collector_pause(struct collector *collector, uint64_t end_realtime_ns);

/*
 * Whether more can be counted now than at the start: a successor with the same setup
 * would. Told once; a collector that is kept asks again after a minute.
 */
bool collector_is_out_of_date(struct collector *collector);

/*
 * Whether a CPU has come or gone since the collector was made, also for a moment: a
 * successor counts those that are there. A few system calls.
 */
bool collector_cpus_changed(const struct collector *collector);

/*
 * There is a reason to doubt that the counters of cgroups move: all of them are looked at in
 * the next cycles, not only some in each.
 */
void collector_doubt_counters(struct collector *collector);

/*
 * Whether counters of a cgroup stand still while it runs: only opening afresh helps. Told once; a
 * collector that is kept finds out again.
 */
bool collector_stands_still(struct collector *collector);

/*
 * A descriptor that becomes readable when cgroups come or go, or -1. Who asks for it
 * and gets one has to tell by collector_tree_changed(): cycles look for changes only
 * then. Without, each cycle looks. Borrowed, for the collector's life.
 */
int collector_tree_fd(struct collector *collector);
void collector_tree_changed(struct collector *collector);

/*
 * The same for processes: readable when some may have been born. -1: nothing tells. Another one
 * after each cycle and each following. Borrowed until then.
 */
int collector_tasks_fd(const struct collector *collector);

/*
 * Makes the descriptor of processes tell, once; call it when both are waited for. True: there is
 * something to be followed already, of either kind.
 */
bool collector_arm(struct collector *collector);

/*
 * Between two cycles: discovers and opens what was born and told since, and reads what has ended
 * once more. A bounded piece of work: what it leaves, the next one or the next cycle does.
 * Publishes nothing. Failures are left to the cycle, which meets them again.
 */
void collector_follow(struct collector *collector);

/*
 * One cycle. missed: how many were left out since the last one, because it took
 * too long or the process did not run. A failure (-ENOMEM) costs this cycle only:
 * what stands, stands.
 */
int collector_cycle(struct collector *collector, uint64_t missed);
