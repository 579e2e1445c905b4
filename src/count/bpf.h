/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/mechanism.h"

/*
 * What of a lane, over all CPUs since the start, was charged to no target: to nobody, since a
 * switch was not told (SWITCH_PROGRAM_UNATTRIBUTED), or to what runs outside of all of them. The
 * lanes of the first group begin at 0: its values, then enabled.
 */
uint64_t bpf_unattributed(const struct mechanism *mechanism, size_t lane);
uint64_t bpf_rest(const struct mechanism *mechanism, size_t lane);
