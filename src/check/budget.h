/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "config/config.h"
#include "event/resolver.h"
#include "sys/perf_event.h"

/*
 * Prints what a configuration would take of this machine's PMU, what it may, and what
 * is left out; nothing where it names no event of a PMU that is here. Counts for some
 * milliseconds to find out. cgroup_root_fd: -1 where there is none, or nothing
 * nests in what is open; is_shared: all targets share one set of groups on each CPU. 0 or -errno.
 */
int budget_report(const struct config *config, struct event_resolver *resolver,
                  const struct perf_ops *ops, int sysfs_fd, int cgroup_root_fd, bool is_shared);
