/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The counters of one target: its groups on each of its CPUs or threads, with the
 * last good reading of each as the base of the next delta. Belongs to the collector thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/sample.h"
#include "count/scope.h"

struct counter_set;
struct mechanism;

/*
 * Nothing is open yet: mechanism->open() does that for many. The mechanism, the
 * groups and the scope's CPUs or threads are borrowed. 0 or -ENOMEM.
 */
int counter_set_new(struct mechanism *mechanism, const struct event_groups *groups,
                    const struct scope *scope, struct counter_set **ret_set);

/* What it was made with. */
const struct scope *counter_set_scope(const struct counter_set *set);

/* The scope's tasks are these from here on, borrowed; mechanism->open() follows them. */
void counter_set_name_tasks(struct counter_set *set, const pid_t *tasks, size_t n);

const struct mechanism *counter_set_mechanism(const struct counter_set *set);

/* Closes what is open. */
struct counter_set *counter_set_free(struct counter_set *set);
DEFINE_AUTO(counter_set, struct counter_set *, counter_set_free)

/*
 * Takes over, with their bases, the open groups of another set that counts the
 * same target, in the same threads or on the CPUs that both have: each that has a group
 * here of the same name with the same events in the same order. So what goes on being
 * counted loses nothing when the configuration changes around it. cpus: only on these,
 * since what is open on one that was offline meanwhile is frozen; NULL: on all.
 */
void counter_set_adopt(struct counter_set *set, struct counter_set *from,
                       const struct cpu_list *cpus);

/* Whether the set has all of these groups open, so that a set of them can adopt each. */
bool counter_set_counts_all(const struct counter_set *set, const struct event_groups *groups);

/*
 * For a new set of the same groups: when opening may be tried again, after how many
 * failures, and which groups wait for the PMU in vain, is as with the other.
 */
void counter_set_continue_waiting(struct counter_set *set, const struct counter_set *from);

/*
 * Disables the groups that take hardware counters, or enables them again, as the
 * mechanism's `paused` says. Totals stand still while they are disabled; their rates
 * and ratios are unknown from then on until a whole interval has passed after the end.
 * A group that cannot be told is closed and wants to be opened again.
 */
void counter_set_follow_pause(struct counter_set *set);

/* Closes all descriptors; what is read afterwards is nothing. Bases are forgotten. */
void counter_set_close(struct counter_set *set);

/* Whether a group of the set is open, in some place at least. */
bool counter_set_is_open(const struct counter_set *set, size_t group);

/* Whether something of the set ought to be open and is not … */
bool counter_set_is_incomplete(const struct counter_set *set);

/* … and it is time to try to open it (again). */
bool counter_set_wants_open(const struct counter_set *set, uint64_t now_ns);

/*
 * Why the set is not counted as a whole: why a group could not be opened or has waited
 * for the PMU in vain, or why none of its events can be counted. ABSENCE_NONE while all
 * is well.
 */
enum absence counter_set_absence(const struct counter_set *set);

/*
 * Reads every group and writes what was counted since the last reading; sample
 * is cleared first. A group's first reading after it was opened is its base and
 * counts nothing. A group that cannot be read (end of file, short, EIO) is closed
 * and wants to be opened again; nothing is zeroed. One that has waited for the PMU in
 * vain for seconds of its target's time is closed, so that it takes no turns of others
 * (never_scheduled, or pmu_busy where none of ours had a turn), and tried again after a
 * minute or more. now_ns: CLOCK_MONOTONIC.
 */
void counter_set_read(struct counter_set *set, uint64_t now_ns, struct sample *sample);

/* Counts no more: what has been counted stands, for a last reading. */
void counter_set_stop(struct counter_set *set);

/*
 * The first reading of a set that begins between two rounds of readings: what it counts from here
 * on is told by the next one, as a part of the interval that began at since_ns with the last
 * round. It has no rates and ratios of its own before a whole interval has passed.
 */
void counter_set_begin(struct counter_set *set, uint64_t since_ns, uint64_t now_ns,
                       struct sample *sample);
