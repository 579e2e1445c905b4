/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Searches are in a queue. The thread takes them one after the other, and waits for the next one no
 * longer than the list is kept: what it knows of the machine is its own, and needs no lock.
 */
#include "service/event_search.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "run/event_answer.h"
#include "sys/thread.h"

#define KEPT_SECONDS 30

struct search {
    char *words;
    size_t limit;
    struct deferred *answer;
};

struct event_search {
    const char *sysfs;
    pthread_mutex_t mutex; /* guards the members from here to `ending` */
    pthread_cond_t changed;
    struct search queue[EVENT_SEARCHES_MAX];
    size_t n;
    bool has_thread, ending;
    pthread_t thread;
    /* The rest is the thread's own. */
    struct event_machine machine;
    bool is_open;
    uint64_t opened_ns;
};

static void forget(struct event_search *search)
{
    if (search->is_open)
        event_machine_close(&search->machine);
    search->is_open = false;
}

static int remember(struct event_search *search)
{
    int r;

    if (search->is_open && clock_monotonic_ns() - search->opened_ns > KEPT_SECONDS * NS_PER_SECOND)
        forget(search);
    if (search->is_open)
        return 0;
    r = event_machine_open(&search->machine, search->sysfs);
    if (r < 0)
        event_machine_close(&search->machine);
    search->is_open = r >= 0;
    search->opened_ns = clock_monotonic_ns();
    return r;
}

static void carry_out(struct event_search *search, const struct search *wanted)
{
    struct text text = {0};
    int r = deferred_is_wanted(wanted->answer) ? remember(search) : -EAGAIN;

    if (r >= 0)
        r = event_answer_write(&search->machine, wanted->words, wanted->limit, &text);
    if (r < 0)
        deferred_refuse(wanted->answer, r, &text);
    else
        deferred_answer(wanted->answer, "application/json", &text);
    free(wanted->words);
}

/* Takes the oldest search. Returns false if there is none; the mutex is held. */
static bool take(struct event_search *search, struct search *ret_wanted)
{
    if (search->n == 0)
        return false;
    *ret_wanted = search->queue[0];
    search->n--;
    memmove(search->queue, search->queue + 1, search->n * sizeof(*search->queue));
    return true;
}

/* Waits for something to do; with a list, no longer than it is kept. The mutex is held. */
static int wait(struct event_search *search)
{
    struct timespec until;

    if (!search->is_open)
        return -pthread_cond_wait(&search->changed, &search->mutex);
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += KEPT_SECONDS;
    return -pthread_cond_timedwait(&search->changed, &search->mutex, &until);
}

static void *run(void *object)
{
    struct event_search *const search = object;
    struct search wanted;

    (void)pthread_mutex_lock(&search->mutex);
    while (!search->ending) {
        if (take(search, &wanted)) {
            (void)pthread_mutex_unlock(&search->mutex);
            carry_out(search, &wanted);
            (void)pthread_mutex_lock(&search->mutex);
        } else if (wait(search) == -ETIMEDOUT) {
            forget(search);
        }
    }
    (void)pthread_mutex_unlock(&search->mutex);
    forget(search);
    return NULL;
}

struct event_search *event_search_new(const char *sysfs)
{
    struct event_search *const search = calloc(1, sizeof(*search));

    if (!search)
        return NULL;
    search->sysfs = sysfs;
    (void)pthread_mutex_init(&search->mutex, NULL);
    thread_condition_init(&search->changed);
    /* Not by who asks first: a thread has no more rights than who starts it. */
    search->has_thread = thread_start("events", THREAD_HAS_ALL, run, search, &search->thread) >= 0;
    return search->has_thread ? search : event_search_free(search);
}

int event_search_ask(struct event_search *search, const char *words, size_t limit,
                     struct deferred *answer)
{
    AUTO_FREE char *copy = strdup(words);
    int r = copy ? 0 : -ENOMEM;

    (void)pthread_mutex_lock(&search->mutex);
    if (r >= 0 && search->n == EVENT_SEARCHES_MAX)
        r = -EBUSY;
    if (r >= 0) {
        search->queue[search->n++] = (struct search){TAKE(copy), limit, answer};
        (void)pthread_cond_signal(&search->changed);
    }
    (void)pthread_mutex_unlock(&search->mutex);
    return r;
}

struct event_search *event_search_free(struct event_search *search)
{
    struct search wanted;

    if (!search)
        return NULL;
    (void)pthread_mutex_lock(&search->mutex);
    search->ending = true;
    (void)pthread_cond_signal(&search->changed);
    (void)pthread_mutex_unlock(&search->mutex);
    if (search->has_thread)
        (void)pthread_join(search->thread, NULL);
    while (take(search, &wanted)) {
        struct text none = {0};

        deferred_refuse(wanted.answer, -EAGAIN, &none);
        free(wanted.words);
    }
    (void)pthread_mutex_destroy(&search->mutex);
    (void)pthread_cond_destroy(&search->changed);
    free(search);
    return NULL;
}
