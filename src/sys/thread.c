/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "sys/privileges.h"

struct beginning {
    enum thread_rights rights;
    void *(*work)(void *context);
    void *context;
};

static void *begin(void *data)
{
    const struct beginning beginning = *(const struct beginning *)data;

    free(data);
    if (beginning.rights == THREAD_HAS_NONE)
        (void)privileges_keep_none();
    else if (beginning.rights == THREAD_HAS_FILES)
        (void)privileges_keep_files();
    return beginning.work(beginning.context);
}

int thread_start(const char *name, enum thread_rights rights, void *(*work)(void *context),
                 void *context, pthread_t *ret_thread)
{
    AUTO_FREE struct beginning *beginning = malloc(sizeof(*beginning));
    sigset_t all, before;
    pthread_t thread;
    int r;

    if (!beginning)
        return -ENOMEM;
    *beginning = (struct beginning){rights, work, context};
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread inherits what is blocked */
    r = -pthread_create(&thread, NULL, begin, beginning);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r < 0)
        return r;
    beginning = NULL;                       /* it is the thread's */
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
