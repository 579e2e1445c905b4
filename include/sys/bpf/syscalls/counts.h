/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What is counted of system calls (sys/bpf/syscalls/program.h), in cells by key. */

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
