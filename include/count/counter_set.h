/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The counters of one target: its groups on each of its CPUs or threads. The set remembers the last
 * good reading of each, the base reading, with which the next one is compared. Not thread-safe: it
 * belongs to the thread of the collector.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/sample.h"
#include "count/scope.h"

struct counter_set;
struct mechanism;

/*
 * Makes a set of which nothing is open: mechanism->open() opens many sets at once. The mechanism,
 * the groups and the scope's CPUs or threads are borrowed for the set's life. 0 or -ENOMEM.
 */
int counter_set_new(struct mechanism *mechanism, const struct event_groups *groups,
                    const struct scope *scope, struct counter_set **ret_set);

/* Closes what is open, too. */
struct counter_set *counter_set_free(struct counter_set *set);
DEFINE_AUTO(counter_set, struct counter_set *, counter_set_free)

/* The scope that the set was made with. */
const struct scope *counter_set_scope(const struct counter_set *set);

const struct mechanism *counter_set_mechanism(const struct counter_set *set);

/*
 * Replaces the tasks of the scope, for a set of whole processes (counts_processes of the
 * mechanism). The array is borrowed. mechanism->open() makes the change effective.
 */
void counter_set_name_tasks(struct counter_set *set, const pid_t *tasks, size_t n);

/*
 * Takes the open groups of another set over, with their base readings, so that nothing is lost
 * where the configuration changes around a target. The other set counts the same target, in the
 * same threads, or on CPUs of which both have some. A group is taken over where
 * event_group_goes_on() says so. cpus: only on these, since what is open on a CPU that was offline
 * meanwhile is frozen; NULL: on all.
 */
void counter_set_adopt(struct counter_set *set, struct counter_set *from,
                       const struct cpu_list *cpus);

/* Whether the set has all of these groups open, so that a set of them could adopt each. */
bool counter_set_counts_all(const struct counter_set *set, const struct event_groups *groups);

/*
 * Lets a new set of the same groups wait as the other one does: when opening is tried again, after
 * how many failures, and which groups are closed since they waited for the PMU in vain.
 */
void counter_set_continue_waiting(struct counter_set *set, const struct counter_set *from);

/*
 * Disables the groups that take hardware counters, or enables them again, as the mechanism's
 * `paused` says. Totals stand still while they are disabled. Rates and ratios are unknown from then
 * on until a whole interval has passed after the end. A group that the kernel does not disable or
 * enable is closed and wants to be opened again.
 */
void counter_set_follow_pause(struct counter_set *set);

/* Disables every group. Its counts stand, for a last reading. */
void counter_set_stop(struct counter_set *set);

/*
 * Adds for how long the target was seen to run on each of these CPUs, in ns: by the time enabled of
 * the groups of a cgroup or a whole process, which advances only while it runs there. UINT64_MAX is
 * not known, and stays where nothing of the set is read, or it counts in threads.
 */
void counter_set_add_ran(const struct counter_set *set, const struct cpu_list *cpus,
                         uint64_t *ran_ns);

/* Adds the same, also where nothing is read any more: what a set has had to its end. */
void counter_set_sum_ran(const struct counter_set *set, const struct cpu_list *cpus,
                         uint64_t *sum_ns);

/* Whether this group is open in one place at least. */
bool counter_set_is_open(const struct counter_set *set, size_t group);

/* Whether something is open, and nothing of what is open has been read yet. */
bool counter_set_is_unread(const struct counter_set *set);

/* Whether something should be open and is not. */
bool counter_set_is_incomplete(const struct counter_set *set);

/* Whether something should be open and is not, and it is time to try (again). */
bool counter_set_wants_open(const struct counter_set *set, uint64_t now_ns);

/*
 * Why the target is not counted as a whole: why a group could not be opened, why it has waited for
 * the PMU in vain, or why none of the events can be counted. ABSENCE_NONE: all is well.
 */
enum absence counter_set_absence(const struct counter_set *set);

/*
 * Reads every group, and writes what was counted since the last reading into the sample, which is
 * cleared first. now_ns: CLOCK_MONOTONIC.
 *
 * The first reading of a group after it was opened becomes its base and counts nothing. A group
 * that cannot be read (end of file, a short reading, EIO) is closed and wants to be opened again;
 * nothing becomes zero. A group that has waited for the PMU for seconds of its target's time is
 * closed, so that it takes no turns of others, and is tried again after a minute or more. Its
 * absence is never_scheduled, or pmu_busy where no group of ours had a turn.
 */
void counter_set_read(struct counter_set *set, uint64_t now_ns, struct sample *sample);

/*
 * The first reading of a set that begins between two rounds of readings. What it counts from here
 * on is told by the next reading, as a part of the interval that began with the last round, at
 * since_ns. There are no rates and ratios before a whole interval has passed.
 */
void counter_set_begin(struct counter_set *set, uint64_t since_ns, uint64_t now_ns,
                       struct sample *sample);
