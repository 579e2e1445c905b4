/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which processes the program in the kernel charges to which slot: those that a scope names. If
 * their children are counted with them, the program adds these itself, and only it knows which.
 */

#include "count/scope.h"
#include "sys/bpf/switch/program.h"

struct watched_processes;

/* The program is borrowed. NULL: no memory. */
struct watched_processes *watched_processes_new(struct switch_program *program, size_t n_slots);
struct watched_processes *watched_processes_free(struct watched_processes *watched);
DEFINE_AUTO(watched_processes, struct watched_processes *, watched_processes_free)

/*
 * Has the scope's processes charged to the slot from here on, and no more those that were named
 * before and are not in the scope. 0; -ENOSPC: there is no room for some of them; -errno.
 */
int watched_processes_set(struct watched_processes *watched, size_t slot,
                          const struct scope *scope);

/*
 * Ends that processes are charged to the slot, from the next refresh on. True: no slot of a process
 * is left; the caller then refreshes all CPUs before another process is watched.
 */
bool watched_processes_end(struct watched_processes *watched, size_t slot);
