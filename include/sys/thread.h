/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a thread begins, and what it waits for. */

#include <pthread.h>

/*
 * Starts a thread that blocks all signals, which are for the main thread, and that ps and perf show
 * by its name, of 15 bytes at most. The caller joins or detaches it. 0 or -errno: -EAGAIN.
 */
int thread_start(const char *name, void *(*work)(void *context), void *context,
                 pthread_t *ret_thread);

/* Makes a condition for which pthread_cond_timedwait() takes times of CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);
