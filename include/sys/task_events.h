/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Births, deaths and new names of tasks. They are side-band records of perf events that count
 * nothing, one on every CPU that is online (perf_event_open(2), PERF_RECORD_FORK and others). To
 * look at them costs a single system call, which reads the list of CPUs. It needs CAP_PERFMON, or
 * perf_event_paranoid 0.
 *
 * Numbers are those of our own PID namespace. Records come in the order of their times, which is
 * only as good as the clocks of CPUs agree: they are hints, and whoever uses them must allow for
 * one that comes late.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct task_events;

enum task_event_kind {
    TASK_EVENT_FORK, /* `tid` began: a process if tid equals pid, else a thread */
    TASK_EVENT_COMM, /* the first thread of `pid` has a new comm, by exec or otherwise */
    TASK_EVENT_EXIT, /* `tid` ends now; other threads of `pid` may live on */
    TASK_EVENT_LOST, /* records of any kind were lost */
};

struct task_event {
    enum task_event_kind kind;
    pid_t pid, tid;
    pid_t parent; /* FORK: the process that started it */
    bool exec;    /* COMM: by exec */
};

/* Begins to record. 0; -EACCES or -EPERM: it is not permitted; another -errno. */
int task_events_new(struct task_events **ret_events);
struct task_events *task_events_free(struct task_events *events);
DEFINE_AUTO(task_events, struct task_events *, task_events_free)

/*
 * Begins a look at what happened until now. 0; -ESTALE: other CPUs are online than at the start, so
 * that not all is seen: make a new object; another -errno.
 */
int task_events_begin(struct task_events *events);

/* Gives the next record of this look. False: there is none. */
bool task_events_next(struct task_events *events, struct task_event *ret_event);

/*
 * Whether the events on all CPUs still record. The event of a CPU that went offline and came back
 * stands still for ever. It costs an interrupt on every CPU, so ask seldom.
 */
bool task_events_are_served(struct task_events *events);

/*
 * A descriptor that becomes readable, once, when something happens after task_events_arm(). It is
 * for an event loop on epoll. -1: there is none, and the caller looks from time to time. Borrowed.
 */
int task_events_fd(const struct task_events *events);

/*
 * Has the descriptor become readable at the next record. The caller waits for the descriptor
 * already. True: there are records already that no look has given. It costs no system call.
 */
bool task_events_arm(struct task_events *events);
