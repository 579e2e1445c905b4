/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a thread begins, and what it waits for. */

#include <pthread.h>

/* What a thread may do of what the process may (sys/privileges.h). */
enum thread_rights {
    THREAD_HAS_NONE,  /* no capability: it answers, waits or reads what others hand to it */
    THREAD_HAS_FILES, /* those for files of others */
    THREAD_HAS_ALL,   /* it counts */
};

/*
 * Starts a thread that blocks all signals, which are for the main thread, and that ps and perf show
 * by its name, of 15 bytes at most. It begins with the rights of the caller; before its work it
 * gives up those that it is not to have, and keeps them where a filter of system calls forbids
 * that. The caller joins or detaches it. 0 or -errno: -EAGAIN, -ENOMEM.
 */
int thread_start(const char *name, enum thread_rights rights, void *(*work)(void *context),
                 void *context, pthread_t *ret_thread);

/* Makes a condition for which pthread_cond_timedwait() takes times of CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);
