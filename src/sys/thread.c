/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <signal.h>

int thread_start(const char *name, void *(*work)(void *context), void *context,
                 pthread_t *ret_thread)
{
    sigset_t all, before;
    pthread_t thread;
    int r;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread inherits what is blocked */
    r = -pthread_create(&thread, NULL, work, context);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r < 0)
        return r;
    (void)pthread_setname_np(thread, name); /* without it, it has the name of who made it */
    *ret_thread = thread;
    return 0;
}

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}
