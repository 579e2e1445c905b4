/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/mechanism.h"

/*
 * What of a lane, over all CPUs since the start, is no target's: charged to no cgroup or to no
 * process, since a switch was not told (SWITCH_PROGRAM_NO_CGROUPS, _NO_PROCESSES), or run outside
 * of all cgroups. The lanes of the first group begin at 0: its values, then enabled.
 */
uint64_t bpf_no_cgroups(const struct mechanism *mechanism, size_t lane);
uint64_t bpf_no_processes(const struct mechanism *mechanism, size_t lane);
uint64_t bpf_rest(const struct mechanism *mechanism, size_t lane);
