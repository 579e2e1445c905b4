/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The counters of one process: mostly one set, more where threads are followed or renewed. */

#include "cycle/process_member.h"

/* What a member's threads start that is counted with them. */
enum scope_inherit task_counters_inherit(const struct process_member *member,
                                         const struct process_opening *opening);

/* Makes counters for these tasks, and takes over the array. 0 or -ENOMEM. */
int task_counters_make(const struct process_member *member, const struct process_opening *opening,
                       pid_t **tasks, size_t n, struct task_counters *ret_counters);

/* Closes the counters and frees them. */
void task_counters_done(struct task_counters *counters);

/* Gives counters to the member. 0 or -ENOMEM. */
int task_counters_append(struct process_member *member, const struct task_counters *counters);

/* Makes counters and gives them to the member. 0 or -ENOMEM. */
int task_counters_add(struct process_member *member, const struct process_opening *opening,
                      pid_t **tasks, size_t n);

/* Ends the counters that the member has: those with a reading are read once more. */
void task_counters_retire(struct process_member *member);

/* The counters that count now, not those that have ended. NULL: there are none. */
struct task_counters *task_counters_current(const struct process_member *member);

/* Whether the counters were opened on exactly these tasks. */
bool task_counters_are_of(const struct task_counters *counters, const pid_t *tasks, size_t n);
