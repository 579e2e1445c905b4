/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is said to people about what is not counted: why, and what can be done. */

#include "count/scope.h"
#include "event/absence.h"

/* What can be done about an event that is absent for this reason; empty: nothing. Static. */
const char *absence_advice(enum absence absence);

/*
 * The same of targets of a kind that are absent although their events can be counted:
 * what the kernel was asked at the start, it was asked of the root of the tree. NULL: nothing.
 */
const char *absence_target_advice(enum scope_kind kind, enum absence absence);

/* Why the root of all cgroups is no target. */
#define ROOT_IS_MACHINE                                                                            \
    "it is the machine, and as a cgroup the kernel counts it while CPUs are idle too; "            \
    "targets.system counts it, as pmu_machine_*"

/* Why processes of others are missing. */
#define HIDDEN_PROCESSES                                                                           \
    "/proc is mounted with hidepid: grant CAP_SYS_PTRACE (drop-in exe.conf), or mount it with "    \
    "the gid of a group that the exporter is in"
