/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread outlives its owner by the hash that it is making, so it shares the queue by reference
 * and is detached. It has a lower priority than the rest: who tries passwords takes no time from
 * those who count.
 */
#include "web/password_thread.h"

#include <crypt.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/reference.h"
#include "base/wake.h"
#include "sys/thread.h"

#define MOST_WAITING 16
#define NICE         10

struct job_queue {
    struct password_job *first;
    struct password_job **end;
    unsigned n;
};

struct password_thread {
    struct reference reference; /* the owner's and the thread's */
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct job_queue waiting, done;
    bool stopping;
    int event_fd; /* a duplicate, as the thread may outlive the owner */
};

struct password_job *password_job_free(struct password_job *job)
{
    if (job)
        explicit_bzero(job, sizeof(*job));
    free(job);
    return NULL;
}

static void queue_add(struct job_queue *queue, struct password_job *job)
{
    job->next = NULL;
    *queue->end = job;
    queue->end = &job->next;
    queue->n++;
}

static struct password_job *queue_take(struct job_queue *queue)
{
    struct password_job *const job = queue->first;

    if (!job)
        return NULL;
    queue->first = job->next;
    queue->n--;
    if (!queue->first)
        queue->end = &queue->first;
    return job;
}

static void queue_done(struct job_queue *queue)
{
    while (queue->first)
        (void)password_job_free(queue_take(queue));
}

static void release(struct password_thread *thread)
{
    if (!reference_drop(&thread->reference))
        return;
    queue_done(&thread->waiting);
    queue_done(&thread->done);
    (void)pthread_cond_destroy(&thread->given);
    (void)pthread_mutex_destroy(&thread->lock);
    if (thread->event_fd >= 0)
        (void)close(thread->event_fd);
    free(thread);
}

/* Compares in a time that does not depend on where the texts differ. */
static bool is_equal(const char *a, const char *b, size_t n)
{
    unsigned difference = 0;

    for (size_t i = 0; i < n; i++)
        difference |= (unsigned char)(a[i] ^ b[i]);
    return difference == 0;
}

/* By crypt_rn(), since sanitizers put a crypt_r() of their own in the place of the library's. */
static void hash(struct password_job *job, struct crypt_data *data)
{
    const char *const made = crypt_rn(job->password, job->hash, data, (int)sizeof(*data));
    const size_t n = strlen(job->hash);

    job->is_right = made && strlen(made) == n && is_equal(made, job->hash, n) && !job->is_unknown;
    explicit_bzero(job->password, sizeof(job->password));
    explicit_bzero(data, sizeof(*data));
}

/* Waits for a job. NULL: the thread is to end. */
static struct password_job *next_job(struct password_thread *thread)
{
    struct password_job *job = NULL;

    (void)pthread_mutex_lock(&thread->lock);
    while (!thread->stopping && !(job = queue_take(&thread->waiting)))
        (void)pthread_cond_wait(&thread->given, &thread->lock);
    (void)pthread_mutex_unlock(&thread->lock);
    return job;
}

static void *run(void *context)
{
    struct password_thread *const thread = context;
    AUTO_FREE struct crypt_data *data = calloc(1, sizeof(*data));
    struct password_job *job;

    (void)setpriority(PRIO_PROCESS, 0, NICE); /* on Linux, of this thread alone */
    while ((job = next_job(thread))) {
        if (data)
            hash(job, data);
        (void)pthread_mutex_lock(&thread->lock);
        queue_add(&thread->done, job);
        (void)pthread_mutex_unlock(&thread->lock);
        wake(thread->event_fd);
    }
    release(thread);
    return NULL;
}

static int start(struct password_thread *thread)
{
    pthread_t id;
    int r;

    reference_take(&thread->reference);
    r = thread_start("passwords", THREAD_HAS_NONE, run, thread, &id);
    if (r < 0) {
        release(thread);
        return r;
    }
    (void)pthread_detach(id);
    return 0;
}

int password_thread_new(int event_fd, struct password_thread **ret_thread)
{
    struct password_thread *thread = calloc(1, sizeof(*thread));
    int r;

    if (!thread)
        return -ENOMEM;
    reference_init(&thread->reference);
    thread->waiting.end = &thread->waiting.first;
    thread->done.end = &thread->done.first;
    (void)pthread_mutex_init(&thread->lock, NULL);
    (void)pthread_cond_init(&thread->given, NULL);
    thread->event_fd = fcntl(event_fd, F_DUPFD_CLOEXEC, 0);
    r = thread->event_fd < 0 ? -errno : start(thread);
    if (r < 0) {
        release(thread);
        return r;
    }
    *ret_thread = thread;
    return 0;
}

int password_thread_give(struct password_thread *thread, struct password_job *job)
{
    int r = 0;

    (void)pthread_mutex_lock(&thread->lock);
    if (thread->waiting.n < MOST_WAITING)
        queue_add(&thread->waiting, job);
    else
        r = -EBUSY;
    (void)pthread_cond_signal(&thread->given);
    (void)pthread_mutex_unlock(&thread->lock);
    return r;
}

struct password_job *password_thread_take(struct password_thread *thread)
{
    struct password_job *job;

    (void)pthread_mutex_lock(&thread->lock);
    job = queue_take(&thread->done);
    (void)pthread_mutex_unlock(&thread->lock);
    return job;
}

struct password_thread *password_thread_free(struct password_thread *thread)
{
    if (!thread)
        return NULL;
    (void)pthread_mutex_lock(&thread->lock);
    thread->stopping = true;
    (void)pthread_cond_signal(&thread->given);
    (void)pthread_mutex_unlock(&thread->lock);
    release(thread);
    return NULL;
}
