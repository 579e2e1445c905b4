/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/late_close.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sys/thread.h"

static struct {
    pthread_mutex_t mutex; /* guards all that follows */
    uint8_t *marks;        /* for each number of a descriptor: an enum late_close_kind, or 0 */
    size_t marks_size;
    struct waiting {
        int fd;
        uint8_t kind;
    } * waiting; /* the oldest first */
    size_t n_waiting;
    size_t capacity; /* of `waiting` */
    size_t n_probes; /* those that are marked, and those that wait or are being closed */
    bool has_thread;
} closer = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* How many descriptors are marked. It spares the lock where there are none: nearly always. */
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

void late_close_mark(int fd, enum late_close_kind kind)
{
    marked_at_ns = clock_monotonic_ns();
    (void)pthread_mutex_lock(&closer.mutex);
    if (grow_marks((size_t)fd + 1) && closer.marks[fd] == 0) {
        closer.marks[fd] = (uint8_t)kind;
        closer.n_probes += kind == LATE_CLOSE_PROBE;
        n_marked++;
    }
    (void)pthread_mutex_unlock(&closer.mutex);
}

/* Takes the mark off. 0: it has none. */
static uint8_t take_mark(int fd)
{
    const uint8_t kind = (size_t)fd < closer.marks_size ? closer.marks[fd] : 0;

    if (kind == 0)
        return 0;
    closer.marks[fd] = 0;
    n_marked--;
    return kind;
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
    (void)pthread_mutex_lock(&closer.mutex);
    while (closer.n_waiting > 0) {
        const struct waiting first = closer.waiting[0];

        (void)pthread_mutex_unlock(&closer.mutex);
        wait_for_pause();
        (void)close(first.fd);
        (void)pthread_mutex_lock(&closer.mutex);
        closer.n_waiting--;
        closer.n_probes -= first.kind == LATE_CLOSE_PROBE;
        memmove(closer.waiting, closer.waiting + 1, closer.n_waiting * sizeof(*closer.waiting));
    }
    free(TAKE(closer.waiting));
    closer.capacity = 0;
    closer.has_thread = false;
    (void)pthread_mutex_unlock(&closer.mutex);
    return nothing;
}

static bool start_thread(void)
{
    pthread_t thread;

    if (closer.has_thread)
        return true;
    closer.has_thread = thread_start("closer", THREAD_HAS_NONE, close_all, NULL, &thread) == 0;
    if (closer.has_thread)
        (void)pthread_detach(thread); /* it has not ended: it waits for the lock */
    return closer.has_thread;
}

/* Has the thread close it. False: there is no memory, or no thread. */
static bool leave_to_thread(int fd, uint8_t kind)
{
    if (closer.n_waiting == closer.capacity) {
        const size_t capacity = closer.capacity ? 2 * closer.capacity : 64;
        struct waiting *waiting = reallocarray(closer.waiting, capacity, sizeof(*waiting));

        if (!waiting)
            return false;
        closer.waiting = waiting;
        closer.capacity = capacity;
    }
    closer.waiting[closer.n_waiting++] = (struct waiting){fd, kind};
    if (start_thread())
        return true;
    closer.n_waiting--;
    return false;
}

void late_close(int fd)
{
    bool is_late = false;
    uint8_t kind;

    if (n_marked > 0) {
        (void)pthread_mutex_lock(&closer.mutex);
        kind = take_mark(fd);
        is_late = kind != 0 && leave_to_thread(fd, kind);
        if (!is_late)
            closer.n_probes -= kind == LATE_CLOSE_PROBE;
        (void)pthread_mutex_unlock(&closer.mutex);
    }
    if (!is_late)
        (void)close(fd); /* Linux frees the descriptor whatever close() returns */
}

size_t late_close_n_probes(void)
{
    size_t n;

    (void)pthread_mutex_lock(&closer.mutex);
    n = closer.n_probes;
    (void)pthread_mutex_unlock(&closer.mutex);
    return n;
}
