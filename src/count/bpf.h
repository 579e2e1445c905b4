/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/mechanism.h"

/*
 * How much of a lane, over all CPUs since the start, was divided by guess
 * (SWITCH_PROGRAM_DOUBTFUL). The lanes of the first group begin at 0: its values, then enabled.
 */
uint64_t bpf_doubtful(const struct mechanism *mechanism, size_t lane);
