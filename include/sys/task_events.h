/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Births, deaths and new names of tasks, told by the kernel: side-band records of a
 * perf event that counts nothing, on every CPU that is online (perf_event_open(2)).
 * Looking costs no system call but one for the list of CPUs. It needs CAP_PERFMON, or
 * perf_event_paranoid 0.
 *
 * Numbers are those of our own PID namespace. Records come in the order of their time,
 * as good as CPUs agree on it: whoever uses them must not be wrong where one comes late.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct task_events;

enum task_event_kind {
    TASK_EVENT_FORK, /* `tid` began: a process if it is its `pid`, else a thread */
    TASK_EVENT_COMM, /* the first thread of `pid` has a new comm, by exec or otherwise */
    TASK_EVENT_EXIT, /* `tid` ends now; others of `pid` may live on */
    TASK_EVENT_LOST, /* some were not told, of any kind */
};

struct task_event {
    enum task_event_kind kind;
    pid_t pid, tid;
    pid_t parent; /* FORK: the process that started it */
    bool exec;    /* COMM: by exec */
};

/* 0; -EACCES or -EPERM where it is not permitted, or another -errno. What is told begins here. */
int task_events_new(struct task_events **ret_events);
struct task_events *task_events_free(struct task_events *events);
DEFINE_AUTO(task_events, struct task_events *, task_events_free)

/*
 * Begins a look at what happened until now. 0; -ESTALE where other CPUs are online than at the
 * start: make new ones, for these do not see all; or another -errno.
 */
int task_events_begin(struct task_events *events);

/* The next record of this look; false: there are no more. */
bool task_events_next(struct task_events *events, struct task_event *ret_event);

/*
 * Whether the kernel still serves each of them: one that was on a CPU that went and came back
 * stands still for ever. Costs an interrupt of every CPU, so ask seldom.
 */
bool task_events_are_served(struct task_events *events);

/*
 * Becomes readable, once, when something happens after task_events_arm(); for an event loop that
 * waits for it by epoll. -1: nothing wakes, look from time to time. Borrowed.
 */
int task_events_fd(const struct task_events *events);

/*
 * Makes the descriptor tell of what happens next, which is to be waited for already. True: there
 * is something that no look has told yet. Costs no system call.
 */
bool task_events_arm(struct task_events *events);
