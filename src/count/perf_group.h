/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A group of perf events in one place of a scope: how it is opened, read and closed. */

#include <stdint.h>

#include "count/event_group.h"
#include "count/mechanism.h"

/*
 * Where something is opened: in one place of a scope, and there in one part (count/core_kinds.h;
 * always 0 where the machine has one kind of cores).
 */
struct perf_site {
    const struct scope *scope;
    size_t place, part;
};

/*
 * Opens one event. group_fd: the descriptor of its group's leader; -1: it becomes a leader, and is
 * opened disabled. A descriptor or -errno.
 *
 * A probe is never opened so that it is inherited: -EOPNOTSUPP. The kernel would look up the
 * function or the file anew for each task that a counted task starts, with the rights and in the
 * memory of that task (inherit_event() calls perf_uprobe_event_init()): without CAP_PERFMON its
 * fork() and pthread_create() fail with EACCES (seen on Linux 6.18).
 */
int perf_event_open_at(const struct perf_ops *ops, const struct event *event,
                       const struct perf_site *site, int group_fd);

/*
 * Opens the events of a group at a site, and enables the group if `enabled`. Writes n_opened
 * descriptors, the leader's first. 0; -errno: nothing is open.
 */
int perf_group_open(const struct perf_ops *ops, const struct event_group *group,
                    const struct perf_site *site, bool enabled, int *ret_descriptors);

/*
 * Enables or disables the group of this leader, with all events that its members have inherited
 * (perf_event_open(2), PERF_IOC_FLAG_GROUP). 0 or -errno.
 */
int perf_group_set_enabled(const struct perf_ops *ops, int leader, bool enabled);

/* Reads the group of this leader. n_values: how many events it has. 0 or -errno; -EIO: it is of no
 * use any more. */
int perf_group_read(const struct perf_ops *ops, int leader, size_t n_values,
                    struct group_reading *ret_reading);

/* Closes a group, the leader last: a member that loses its leader would go on counting alone. */
void perf_group_close(const struct perf_ops *ops, int *descriptors, size_t n);

/* What the errno of an attempt to open means for the event or the target. */
enum absence perf_group_absence(int error, const struct scope *scope);

/* The same for an event that is opened alone: the filter, if it has one, may be what is refused. */
enum absence perf_event_absence(int error, const struct event *event, const struct scope *scope);
