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

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/keyed_table.h"
#include "sys/bpf/refusal.h"
#include "sys/bpf/syscalls/counts.h"

struct syscalls_program;
struct switch_program;

/*
 * Loads the program and attaches it; it counts from then on. `of` says who is who, and may end
 * before it. Each CPU has places for 2048 keys, 80 KiB; those that meet in one place are counted in
 * a table of so many entries, 330 bytes each, and what finds no room there, to the rest. 0, or
 * -errno with the reason in *ret_refusal.
 */
int syscalls_program_load(const struct switch_program *of, size_t entries,
                          struct syscalls_program **ret_program, enum bpf_refusal *ret_refusal);
struct syscalls_program *syscalls_program_free(struct syscalls_program *program);
DEFINE_AUTO(syscalls_program, struct syscalls_program *, syscalls_program_free)

/* What it has counted. Borrowed. */
struct keyed_table *syscalls_program_table(const struct syscalls_program *program);

/* How many calls found no place in the table. It only grows. */
uint64_t syscalls_program_lost(const struct syscalls_program *program);
