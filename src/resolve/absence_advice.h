/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the log and `check config` say about what is not counted: why, and what can be done. */

#include "count/scope.h"
#include "event/absence.h"

/* What can be done about an event that is absent for this reason; empty: nothing. Static. */
const char *absence_advice(enum absence absence);

/*
 * What can be done about targets of a kind that are not counted for this reason, although their
 * events can be counted: at the start the kernel was asked about the root of all cgroups and about
 * our own process only, and it may refuse others. NULL: nothing. Static.
 */
const char *absence_target_advice(enum scope_kind kind, enum absence absence);

/* Why the root of all cgroups is no target. */
#define ROOT_IS_MACHINE                                                                            \
    "it is the machine, and as a cgroup the kernel counts it while CPUs are idle too; "            \
    "targets.system counts it, as pmu_machine_*"

/* Why processes of other users are missing, and what can be done. */
#define HIDDEN_PROCESSES                                                                           \
    "/proc is mounted with hidepid: grant CAP_SYS_PTRACE (drop-in exe.conf), or mount it with "    \
    "the gid of a group that the exporter is in"
