/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From what libdw tells of a frame to the rule that the kernel's program follows. */

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "sys/bpf/profile/unwind.h"

/*
 * The rule of a frame of this machine (EM_…). is_signal: it is said to be that of a signal handler.
 * What cannot be told by a rule becomes UNWIND_CFA_NONE, all other fields of which are 0, so that
 * two equal rules have equal bytes.
 */
struct unwind_rule frame_rule(Dwarf_Frame *frame, uint16_t machine, bool is_signal);
