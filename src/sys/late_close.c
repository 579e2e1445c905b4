/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/late_close.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define BITS 8

static struct {
    pthread_mutex_t mutex; /* guards all that follows */
    uint8_t *marks;        /* a bit for each number of a descriptor: it was marked */
    size_t marks_size;     /* in bytes */
    int *waiting;          /* the oldest first */
    size_t n_waiting;
    size_t capacity; /* of `waiting` */
    bool has_thread;
} closer = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* How many descriptors are marked. It spares the lock where there are no probes: nearly always. */
static atomic_size_t n_marked;
static _Atomic uint64_t marked_at_ns; /* when the last one was marked */

static bool grow_marks(size_t size)
{
    uint8_t *marks = size > closer.marks_size ? realloc(closer.marks, size) : closer.marks;

    if (!marks)
        return false;
    if (size > closer.marks_size) {
        memset(marks + closer.marks_size, 0, size - closer.marks_size);
        closer.marks = marks;
        closer.marks_size = size;
    }
    return true;
}

void late_close_mark(int fd)
{
    const size_t byte = (size_t)fd / BITS;
    const uint8_t bit = (uint8_t)(1U << (unsigned)fd % BITS);

    marked_at_ns = clock_monotonic_ns();
    (void)pthread_mutex_lock(&closer.mutex);
    if (grow_marks(byte + 1) && !(closer.marks[byte] & bit)) {
        closer.marks[byte] |= bit;
        n_marked++;
    }
    (void)pthread_mutex_unlock(&closer.mutex);
}

/* Takes the mark off. False: it has none. */
static bool take_mark(int fd)
{
    const size_t byte = (size_t)fd / BITS;
    const uint8_t bit = (uint8_t)(1U << (unsigned)fd % BITS);

    if (byte >= closer.marks_size || !(closer.marks[byte] & bit))
        return false;
    closer.marks[byte] &= (uint8_t)~bit;
    n_marked--;
    return true;
}

/*
 * Opening a probe waits for one that is being closed: the kernel does both under one lock. So the
 * thread waits for a pause between openings, which come one upon the other, but not for ever.
 */
#define PAUSE_NS   (NS_PER_SECOND / 20)
#define MOST_WAITS 40

static void wait_for_pause(void)
{
    for (int i = 0; i < MOST_WAITS && clock_monotonic_ns() - marked_at_ns < PAUSE_NS; i++)
        (void)nanosleep(&(struct timespec){.tv_nsec = (long)PAUSE_NS}, NULL);
}

static void *close_all(void *nothing)
{
    (void)pthread_setname_np(pthread_self(), "closer");
    (void)pthread_mutex_lock(&closer.mutex);
    while (closer.n_waiting > 0) {
        const int fd = closer.waiting[0];

        (void)pthread_mutex_unlock(&closer.mutex);
        wait_for_pause();
        (void)close(fd);
        (void)pthread_mutex_lock(&closer.mutex);
        closer.n_waiting--;
        memmove(closer.waiting, closer.waiting + 1, closer.n_waiting * sizeof(*closer.waiting));
    }
    free(TAKE(closer.waiting));
    closer.capacity = 0;
    closer.has_thread = false;
    (void)pthread_mutex_unlock(&closer.mutex);
    return nothing;
}

/* Signals are for the main thread. */
static bool start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;

    if (closer.has_thread)
        return true;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    closer.has_thread = pthread_create(&thread, NULL, close_all, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (closer.has_thread)
        (void)pthread_detach(thread); /* it has not ended: it waits for the lock */
    return closer.has_thread;
}

/* Has the thread close it. False: there is no memory, or no thread. */
static bool leave_to_thread(int fd)
{
    if (closer.n_waiting == closer.capacity) {
        const size_t capacity = closer.capacity ? 2 * closer.capacity : 64;
        int *waiting = reallocarray(closer.waiting, capacity, sizeof(*waiting));

        if (!waiting)
            return false;
        closer.waiting = waiting;
        closer.capacity = capacity;
    }
    closer.waiting[closer.n_waiting++] = fd;
    if (start_thread())
        return true;
    closer.n_waiting--;
    return false;
}

void late_close(int fd)
{
    bool is_late = false;

    if (n_marked > 0) {
        (void)pthread_mutex_lock(&closer.mutex);
        is_late = take_mark(fd) && leave_to_thread(fd);
        (void)pthread_mutex_unlock(&closer.mutex);
    }
    if (!is_late)
        (void)close(fd); /* Linux frees the descriptor whatever close() returns */
}

size_t late_close_count(void)
{
    size_t n;

    (void)pthread_mutex_lock(&closer.mutex);
    n = closer.n_waiting + n_marked;
    (void)pthread_mutex_unlock(&closer.mutex);
    return n;
}
