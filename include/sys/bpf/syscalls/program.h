/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts system calls (src/sys/bpf/syscalls/syscalls.bpf.c): how many have
 * returned, and how many of them with an error, by who made them and by their number, in a table
 * (sys/bpf/keyed.h). While it is loaded, each call of every process takes a slower way through the
 * kernel, also of those that nobody wants to know of.
 *
 * A call is counted when it returns, so that exit and exit_group never are, and one that waits is
 * when that is over. The return of a new process from the call that has made it is no call. A
 * return from a signal handler has no number any more, and is SYSCALLS_UNKNOWN.
 */

#include "sys/bpf/keyed_program.h"
#include "sys/bpf/syscalls/counts.h"

/*
 * Loads the program. Each CPU has places for 2048 keys, 80 KiB; those that meet in one place are
 * counted in the table, and what finds no room there, to the rest.
 *
 * Lost is a call that found no place in the table, and one that is timed of whose begin nothing is
 * known any more.
 */
keyed_program_load syscalls_program_load;

/*
 * Times these calls and no others; `calls` of a call that is timed is 1. Until then none is, and
 * calls cost what counting takes; while any is, each call of every process costs more when it
 * begins, too. A call is timed if it begins and ends while it is to be. It is in the table under
 * the same slot and number, with the detail SYSCALLS_TIMED. For each thread that the machine may
 * have there are two places of 24 bytes, 3 MiB at most, in which begins are remembered. 0; or
 * -errno with the reason in *ret_refusal: none is timed, and calls are counted as before.
 */
int syscalls_program_time(struct keyed_program *program, const struct syscalls_timing *timing,
                          enum bpf_refusal *ret_refusal);
