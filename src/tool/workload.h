/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The command that is started. Its process is there before the command runs, so that counters can
 * be opened for it, and waits until it is let go.
 */

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct workload {
    pid_t pid;      /* -1: none */
    int go_fd;      /* what is written here lets it run; closing it ends the process */
    int failure_fd; /* where it writes the errno of an execve(2) that fails */
    bool has_ended; /* status and usage are those of its end */
    int status;     /* as of wait(2) */
    struct rusage usage;
};

/* What we were started with and have changed for ourselves: the command gets it as it was. */
struct workload_origin {
    sigset_t mask;
    struct rlimit files;
};

#define WORKLOAD_NONE                                                                              \
    {                                                                                              \
        .pid = -1, .go_fd = -1, .failure_fd = -1                                                   \
    }

/* Makes the process. Signals that would end a program end it. 0 or -errno. */
int workload_prepare(char *const *command, const struct workload_origin *origin,
                     struct workload *ret_workload);

/*
 * Lets the command run. 0; -errno of execve(2), as -ENOENT: there is no such command, and the
 * process has ended; -ECANCELED: it had ended before, by a signal.
 */
int workload_start(struct workload *workload);

/* Looks whether the command has ended, without waiting or until it has. */
void workload_look(struct workload *workload);
void workload_wait(struct workload *workload);

/* Sends a signal, unless the command has ended. */
void workload_signal(const struct workload *workload, int signal);

/* The exit status that tells how it ended, as a shell has it: 128 and the signal's number. */
int workload_exit_status(const struct workload *workload);

/* Ends a process that was never let go, and waits for one that was. */
void workload_done(struct workload *workload);
