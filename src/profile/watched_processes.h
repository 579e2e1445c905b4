/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which processes a program in the kernel was told of, and as whose. It is named all of them in
 * rounds, and says of each whether the program is still to be told: in most rounds of none. Whoever
 * is not named in a round belongs to no group any more.
 */

#include <stdint.h>

#include "profile/targets.h"
#include "sys/bpf/profile/program.h"

struct watched_process;

struct watched_processes {
    struct watched_process *by_process;
    uint64_t round;
    uint64_t program; /* changes with each program */
};

void watched_processes_done(struct watched_processes *processes);

/* Another program, or none, has taken the place of the one before: it knows of nobody. */
void watched_processes_forget(struct watched_processes *processes);

void watched_processes_begin_round(struct watched_processes *processes);

/*
 * Names a process of the group with this number. True: a program does not know of it, or not so.
 * Without memory it is named in vain until the next round.
 */
bool watched_processes_name(struct watched_processes *processes, uint32_t number,
                            const struct profile_watched *process);

/*
 * Tells the program, after the end of the round, of a process that was named, by the processes
 * that it consists of now. 0 or -errno: the next round tries it again.
 */
int watched_processes_tell(struct watched_processes *processes, struct profile_program *program,
                           const struct profile_watched *process, const pid_t *pids, size_t n);

/* program: NULL: there is none. */
void watched_processes_end_round(struct watched_processes *processes,
                                 struct profile_program *program);
