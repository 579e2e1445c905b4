/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which system calls have a line of their own; all others are together in one. There are more calls
 * than a target can show, and which of them matter shows only with time. A line is never taken back
 * and what was counted without it is not moved, so that no series falls.
 *
 * The nth line is given to a call that makes at least n in a thousand of all calls so far. So the
 * first lines are given soon, and some are left for a call that becomes dear later.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/bpf/syscalls/counts.h"

/* How many calls have a line, at most. */
#define CALL_LINES_MOST 20

struct call_lines {
    uint64_t counts[SYSCALLS_KINDS];
    uint64_t all;
    bool has_line[SYSCALLS_KINDS];
    size_t n;
};

/* So many calls were counted, of the machine. call: the subject of a key of the program. */
void call_lines_note(struct call_lines *lines, size_t call, uint64_t n);

/* Gives lines to those that have come to deserve one, the dearest first. */
void call_lines_promote(struct call_lines *lines);
