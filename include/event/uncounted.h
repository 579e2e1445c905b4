/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/*
 * What a name is of that no source knows, where this machine has it and perf would count it:
 * "tracepoints", "events of sysfs PMUs"; NULL: it is unknown. Static. sysfs_fd: the root of sysfs,
 * below which tracefs is mounted.
 */
const char *event_not_counted_yet(int sysfs_fd, const char *name);

/* The same by its form alone ("power/energy-pkg/", "sched:sched_switch"), on whatever machine. */
const char *event_uncounted_form(const char *name);
