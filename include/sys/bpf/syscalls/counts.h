/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What is counted of system calls (sys/bpf/syscalls/program.h), in cells by key. */

#include <linux/types.h>

/* `subject` of a key is the number of a call below this. No architecture has that many. Else: */
#define SYSCALLS_NUMBERS 512

#define SYSCALLS_UNKNOWN SYSCALLS_NUMBERS       /* all greater numbers, and those below 0 */
#define SYSCALLS_COMPAT  (SYSCALLS_NUMBERS + 1) /* all of 32 bits, which have other numbers */
#define SYSCALLS_KINDS   (SYSCALLS_NUMBERS + 2)

/* The tallies of a cell. */
enum syscalls_tally {
    SYSCALLS_CALLS,  /* that have returned */
    SYSCALLS_ERRORS, /* of these, those that have returned -1 to -4095 */
};

/* `detail` of a key: a cell has the tallies of a call, or its times. */
enum syscalls_detail {
    SYSCALLS_COUNTED,
    SYSCALLS_TIMED,
};

/* The distribution of a cell of times. Its first bucket ends at 2^SYSCALLS_FIRST_EXPONENT s. */
#define SYSCALLS_DURATION       0
#define SYSCALLS_FIRST_EXPONENT (-20) /* 1 us, and the last but one 4 s */

/* How many calls may be timed at once. */
#define SYSCALLS_MOST_TIMED 32

/* Which calls are timed. */
struct syscalls_timing {
    __u8 calls[SYSCALLS_NUMBERS]; /* not 0: the call of this number is */
    __u32 one_in;                 /* of so many such calls of a thread one is; 1: each */
};
