/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Signals that a command waits for, instead of being interrupted by them. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct signals {
    sigset_t mask;   /* those that are waited for; none before they are taken, and all zero */
    sigset_t before; /* the mask as it was: programs that are started get it */
};

/*
 * Takes SIGINT, SIGTERM, SIGHUP and SIGCHLD over: from here on they are blocked, and come to those
 * who wait. 0 or -errno.
 */
int signals_take(struct signals *ret_signals);

/*
 * Waits for one of them, no longer than this. Returns its number; 0: none has come, or a child has
 * ended.
 * ret_is_of_terminal (may be NULL): the kernel has sent it, so that it has reached every process in
 * the foreground of the terminal.
 */
int signals_wait(const struct signals *signals, uint64_t ns, bool *ret_is_of_terminal);

/* Lets signals do again what they did before. One that has come meanwhile does it now. */
void signals_release(struct signals *signals);
