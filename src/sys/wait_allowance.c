/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/wait_allowance.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"

#define MOST_WAIT_NS  (NS_PER_SECOND / 10)
#define WAIT_SHARE    10
#define MOST_SAVED_NS NS_PER_SECOND

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

bool wait_allowance_spend(struct wait_allowance *allowance, pthread_cond_t *answered,
                          pthread_mutex_t *mutex, bool (*is_there)(const void *what),
                          const void *what)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    const uint64_t earned_ns = (begin_ns - allowance->begin_ns) / WAIT_SHARE;
    const uint64_t saved_ns = least(MOST_SAVED_NS, allowance->saved_ns + earned_ns);
    const uint64_t end_ns = begin_ns + least(MOST_WAIT_NS, saved_ns);
    const struct timespec end = {(time_t)(end_ns / NS_PER_SECOND), (long)(end_ns % NS_PER_SECOND)};
    int r = allowance->hangs ? ETIMEDOUT : 0;

    while (!is_there(what) && r == 0)
        r = pthread_cond_clockwait(answered, mutex, CLOCK_MONOTONIC, &end);
    allowance->hangs = !is_there(what);
    allowance->begin_ns = begin_ns;
    allowance->saved_ns = saved_ns - least(saved_ns, clock_monotonic_ns() - begin_ns);
    return !allowance->hangs;
}
