/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The collector: one cycle an interval, in which it discovers targets, opens or closes their
 * counters, reads them, derives numbers and publishes a snapshot. It calls the stages and nothing
 * calls back. It belongs to one thread; what it publishes is read by others.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cycle/setup.h"

struct collector;

/*
 * Makes a collector: asks the kernel what can be counted, and logs what cannot. 0 or -errno.
 *
 * predecessor: a collector with the same direct mechanism and slot, or NULL. What both count goes
 * on in the new one, with its open counters and its totals, and what lingers in the old one lingers
 * in the new one; the predecessor is then only to be freed. On failure it stands as it was and goes
 * on.
 */
int collector_new(const struct collector_setup *setup, struct collector *predecessor,
                  struct collector **ret_collector);
struct collector *collector_free(struct collector *collector);
DEFINE_AUTO(collector, struct collector *, collector_free)

/*
 * Runs one cycle. missed: how many cycles were left out since the last one, because it took too
 * long or the process did not run. A failure (-ENOMEM) costs this cycle only: the snapshot that was
 * published before stays.
 */
int collector_cycle(struct collector *collector, uint64_t missed);

/*
 * Between two cycles: discovers and opens what was just born, and reads what has ended once more.
 * It is a bounded piece of work: what it leaves, the next call or the next cycle does. It publishes
 * nothing. What fails, the next cycle meets again. opens: whether there is time to open; if not,
 * what was born is entered only. Returns whether something that was born is not opened for that.
 */
bool collector_follow(struct collector *collector, bool opens);

/*
 * A descriptor that becomes readable when cgroups come or go, or -1. Who asks for it and gets one
 * has to call collector_tree_changed() when it is readable: from then on cycles look for changes
 * only after that call. As long as nobody asks, each cycle looks. Borrowed, for the collector's
 * life.
 */
int collector_tree_fd(struct collector *collector);
void collector_tree_changed(struct collector *collector);

/*
 * A descriptor that becomes readable when processes may have been born, or -1: nothing announces
 * them. Borrowed until the next cycle or collector_follow(): it may be another one after that.
 */
int collector_tasks_fd(const struct collector *collector);

/*
 * Makes the descriptor of processes announce the next birth; call it each time before both
 * descriptors are waited for. Returns true if there is something to be followed already, of either
 * kind.
 */
bool collector_arm(struct collector *collector);

/*
 * Lists the processes that a group of processes has now, by the name that its series have. The
 * caller frees *ret_processes. 0; -ENOENT: there is no such group, or nothing lives in it; -errno.
 */
int collector_list_processes(struct collector *collector, const char *name, pid_t **ret_processes,
                             size_t *ret_n);

/* Says how many descriptors runs have open, which are not for counters of targets now. */
void collector_leave_to_runs(struct collector *collector, size_t descriptors);

/* How many CPUs are counted on. */
size_t collector_n_cpus(const struct collector *collector);

/*
 * Whether a CPU has come or gone since the collector was made, also for a moment: then a successor
 * counts on those that are there. A few system calls.
 */
bool collector_cpus_changed(const struct collector *collector);

/*
 * Whether the user's file of names has changed since the processes have got names with some of it,
 * so that a successor would call them otherwise.
 */
bool collector_processes_are_renamed(const struct collector *collector);

/*
 * Whether the kernel would let a successor with the same setup count more than this collector does.
 * Returns true once; a collector that is kept asks the kernel again after a minute.
 */
bool collector_is_out_of_date(struct collector *collector);

/*
 * Says that there is a reason to doubt that the counters of cgroups move: in the next cycles all of
 * them have to show it, not only some in each.
 */
void collector_doubt_counters(struct collector *collector);

/*
 * Whether counters of a cgroup stand still although it runs: only opening them afresh helps.
 * Returns true once; a collector that is kept finds it out again.
 */
bool collector_stands_still(struct collector *collector);

/*
 * Pauses the counting of hardware events, or ends the pause. end_realtime_ns: when it will end
 * (CLOCK_REALTIME), which is shown on /metrics; 0: it ends now. Nobody but the caller ends it. What
 * is born meanwhile, and a successor, are paused too.
 */
void collector_pause(struct collector *collector, uint64_t end_realtime_ns);

/*
 * How much memory there is now; called before each cycle. As many cgroups are counted as there is
 * memory for: newcomers wait for room, and if there is hardly any left, some that are counted do.
 */
void collector_follow_memory(struct collector *collector, const struct memory_room *memory);

/* How many cgroups it counts. */
size_t collector_n_cgroups(const struct collector *collector);

/* Shows on /metrics whether the last attempt to reload the configuration succeeded. */
void collector_note_reload(struct collector *collector, bool good);

/* Shows on /metrics the share of the CPUs' time that was in doubt; NaN: it is not known. */
void collector_note_doubt(struct collector *collector, double share);
