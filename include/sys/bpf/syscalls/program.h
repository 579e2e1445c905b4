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
 * Lost is a call that found no place in the table.
 */
keyed_program_load syscalls_program_load;
