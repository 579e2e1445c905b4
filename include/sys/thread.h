/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a thread begins. */

#include <pthread.h>

/*
 * Starts a thread that blocks all signals, which are for the main thread, and that ps and perf show
 * by its name, of 15 bytes at most. The caller joins or detaches it. 0 or -errno: -EAGAIN.
 */
int thread_start(const char *name, void *(*work)(void *context), void *context,
                 pthread_t *ret_thread);
