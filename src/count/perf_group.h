/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One group of perf events in one place of a scope: how it is opened, read and closed. */

#include <stdint.h>

#include "count/event_group.h"
#include "count/mechanism.h"

/*
 * Opens one event. group_fd: the leader, or -1 to become one (opened disabled).
 * A descriptor or -errno.
 */
int perf_event_open_in(const struct perf_ops *ops, const struct event *event,
                       const struct scope *scope, size_t place, int group_fd);

/*
 * Opens what the group holds in one place and, where it is to count, enables it.
 * Writes n_opened descriptors, the leader's first. 0 or -errno, and then nothing is open.
 */
int perf_group_open(const struct perf_ops *ops, const struct event_group *group,
                    const struct scope *scope, size_t place, bool enabled, int *ret_descriptors);

/*
 * Lets the group of this leader count or not, with all that its members have inherited
 * (perf_event_open(2), PERF_IOC_FLAG_GROUP). 0 or -errno.
 */
int perf_group_set_enabled(const struct perf_ops *ops, int leader, bool enabled);

/* Reads the group of this leader, of so many events. 0 or -errno; -EIO: it is in error. */
int perf_group_read(const struct perf_ops *ops, int leader, size_t n_values,
                    struct group_reading *ret_reading);

/* Closes the members before their leader: one that loses its leader would count on alone. */
void perf_group_close(const struct perf_ops *ops, int *descriptors, size_t n);

/* What an errno of opening says of the event or target. */
enum absence perf_group_absence(int error, const struct scope *scope);
