/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which system calls have a line of their own; all others are together in one. There are more calls
 * than a target can show, and which of them matter shows only with time. A line is never taken back
 * and what was counted without it is not moved, so that no series falls.
 *
 * The nth line is given to a call that makes at least n in a thousand of all calls so far, and has
 * been made CALL_LINES_LEAST times. What is made in the first seconds decides little: nothing is
 * given before CALL_LINES_BEGIN_NS, and half of the lines are kept for later, of which each is
 * given CALL_LINES_STEP_NS after the one before at the earliest, however long none was given. So
 * neither what happens at a start nor somebody who makes odd calls for a while takes them all from
 * a call that becomes dear later.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "sys/bpf/syscalls/counts.h"

/* How many calls have a line, at most. */
#define CALL_LINES_MOST 20

/* How many of them may be given once counting has gone on for CALL_LINES_BEGIN_NS. */
#define CALL_LINES_SOON 10

#define CALL_LINES_BEGIN_NS (10 * NS_PER_SECOND)
#define CALL_LINES_STEP_NS  (300 * NS_PER_SECOND)

/* A call that was made less often has no line. */
#define CALL_LINES_LEAST 1000

struct call_lines {
    uint64_t counts[SYSCALLS_KINDS];
    uint64_t all;
    uint64_t begun_ns; /* when calls were first seen; 0: none were */
    uint64_t given_ns; /* when the last line was */
    bool has_line[SYSCALLS_KINDS];
    size_t n;
};

/* So many calls were counted, of the machine. call: the subject of a key of the program. */
void call_lines_note(struct call_lines *lines, size_t call, uint64_t n);

/*
 * Gives lines to those that have come to deserve one, the dearest first. now_ns: CLOCK_MONOTONIC.
 * What was noted is counted already, without a line; what is noted from now on has it.
 */
void call_lines_promote(struct call_lines *lines, uint64_t now_ns);
