/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What of the events of cgroups and processes the program of the bpf mechanism has room for. */

#include "resolve/resolution_budget.h"

/*
 * Leaves out, as over_limit, what is beyond SWITCH_PROGRAM_EVENTS on a CPU of the tracepoints for
 * which wildcards stand. The events that groups name by themselves have the room first: a wildcard
 * takes it from none of them. What the system counts is not charged, and has no such limit. Once
 * the share of the PMU is decided. 0 or -ENOMEM.
 */
int resolution_limit_charged(struct resolution *resolution, const struct pmu_share *share);
