/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Machines with several kinds of cores, each with a PMU of its own: hybrid CPUs ("cpu_core" and
 * "cpu_atom"), big.LITTLE. The scope names their PMUs (struct scope.hybrid).
 *
 * A group in one place is one group of the kernel on each CPU, that of the CPU's own kind. A thread
 * moves between the kinds, and an event counts on one kind only. So a group of a thread that counts
 * what cores execute is opened once for each kind: these are its parts. While the thread runs on
 * one kind, the parts of the others are enabled and do not run; what all of them count together is
 * what the thread did.
 */

#include "count/event_group.h"
#include "sys/pmu.h"

/* How many parts this group has there: a group without an event of a core PMU has one only. */
size_t event_group_parts(const struct event_group *group, const struct scope *scope);

/*
 * The core PMU of a part in a place. NULL: the machine has one kind of cores, or it is not known
 * of which kind this CPU is.
 */
const struct pmu *scope_core(const struct scope *scope, size_t place, size_t part);

/* Whether an event counts on this core PMU, or has nothing to do with cores. NULL: it does. */
bool event_counts_on(const struct event_code *code, const struct pmu *core);

/* Whether cores count the event, of whatever kind they are. */
bool event_code_is_of_core(const struct event_code *code);

/*
 * What is opened in the place of an event where `core` counts: the event by the type of that PMU.
 * An event of another kind of core becomes one that always counts 0, so that groups have the same
 * members everywhere. for_thread: it may run on other kinds too, and the kernel has to be told
 * which one is meant. The texts of the result are borrowed.
 */
struct event_code core_event_code(const struct event_code *code, const struct pmu *core,
                                  bool for_thread);

/*
 * What is opened for the first event of a part that counts nothing on its kind of core: cycles of
 * that kind, which nobody reads. It is the one way to know for how long the thread ran there, so
 * that this time is not taken for time in which the group waited.
 */
struct event_code core_time_keeper(const struct event_code *code, const struct pmu *core);

/* The members of a group that stand in a part by themselves; 0 means that it wants a keeper. */
size_t event_group_n_on(const struct event_group *group, const struct pmu *core);
