/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sys/privileges.h"
#include "sys/thread_walls.h"

struct beginning {
    const char *name;
    enum thread_rights rights;
    char *directory; /* its own */
    void *(*work)(void *context);
    void *context;
};

static struct beginning *beginning_free(struct beginning *beginning)
{
    if (beginning)
        free(beginning->directory);
    free(beginning);
    return NULL;
}
DEFINE_AUTO(beginning, struct beginning *, beginning_free)

static void *begin(void *data)
{
    const struct beginning beginning = *(const struct beginning *)data;

    free(data);
    if (beginning.rights == THREAD_HAS_FILES)
        (void)privileges_keep_files();
    else if (beginning.rights != THREAD_HAS_ALL)
        (void)privileges_keep_none();
    thread_walls_raise(beginning.rights, beginning.directory);
    free(beginning.directory);
    /* by itself and now: a maker behind walls may not write to procfs, and who has a name has walls
     */
    (void)pthread_setname_np(pthread_self(), beginning.name);
    return beginning.work(beginning.context);
}

/* Takes what the thread begins with over, also on failure. */
static int start(struct beginning *begins_with, pthread_t *ret_thread)
{
    AUTO(beginning) struct beginning *beginning = begins_with;
    sigset_t all, before;
    pthread_t thread;
    int r;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread inherits what is blocked */
    r = -pthread_create(&thread, NULL, begin, beginning);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r < 0)
        return r;
    (void)TAKE(beginning); /* it is the thread's */
    *ret_thread = thread;
    return 0;
}

int thread_start(const char *name, enum thread_rights rights, void *(*work)(void *context),
                 void *context, pthread_t *ret_thread)
{
    struct beginning *const beginning = malloc(sizeof(*beginning));

    if (!beginning)
        return -ENOMEM;
    *beginning = (struct beginning){name, rights, NULL, work, context};
    return start(beginning, ret_thread);
}

int thread_start_to_write(const char *name, const char *directory, void *(*work)(void *context),
                          void *context, pthread_t *ret_thread)
{
    AUTO(beginning) struct beginning *beginning = malloc(sizeof(*beginning));

    if (!beginning)
        return -ENOMEM;
    *beginning = (struct beginning){name, THREAD_HAS_FILES, NULL, work, context};
    if (directory && !(beginning->directory = strdup(directory)))
        return -ENOMEM;
    return start(TAKE(beginning), ret_thread);
}

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(condition, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}
