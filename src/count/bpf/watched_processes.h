/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which processes the program in the kernel charges to which slot: those that a scope names, and
 * what they start, which only the program knows.
 */

#include "count/scope.h"
#include "sys/bpf/switch/program.h"

struct watched_processes;

/* The program is borrowed. NULL if there is no memory. */
struct watched_processes *watched_processes_new(struct switch_program *program, size_t n_slots);
struct watched_processes *watched_processes_free(struct watched_processes *watched);
DEFINE_AUTO(watched_processes, struct watched_processes *, watched_processes_free)

/*
 * From here on the scope's processes are charged to the slot, and of those that were named
 * before no others. 0; -ENOSPC: there is no room for some; -errno.
 */
int watched_processes_set(struct watched_processes *watched, size_t slot,
                          const struct scope *scope);

/*
 * Nobody is charged to the slot any more, from the next refresh on. Whether it was the last one:
 * then each CPU has to be refreshed before another comes.
 */
bool watched_processes_end(struct watched_processes *watched, size_t slot);
