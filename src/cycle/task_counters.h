/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The counters of one process: mostly one set, more where threads are followed or renewed. */

#include "cycle/process_member.h"

/* What a member's threads start that is counted with them. */
enum scope_inherit task_counters_inherit(const struct process_member *member,
                                         const struct process_opening *opening);

/* A set for these tasks, which it takes over. 0 or -ENOMEM. */
int task_counters_make(const struct process_member *member, const struct process_opening *opening,
                       pid_t **tasks, size_t n, struct task_counters *ret_counters);

/* Closes them. */
void task_counters_done(struct task_counters *counters);

/* Gives counters to the member. 0 or -ENOMEM. */
int task_counters_append(struct process_member *member, const struct task_counters *counters);

/* The two of these together. */
int task_counters_add(struct process_member *member, const struct process_opening *opening,
                      pid_t **tasks, size_t n);

/* What counts until now is read once more; what has not begun is closed. */
void task_counters_retire(struct process_member *member);

/* Those that count now, not those that are only to be read once more. NULL: there are none. */
struct task_counters *task_counters_current(const struct process_member *member);

/* Whether it is these tasks that they were opened on. */
bool task_counters_are_of(const struct task_counters *counters, const pid_t *tasks, size_t n);
