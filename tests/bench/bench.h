/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What benchmarks share: an end with a reason, time, medians, and children to be counted. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

/* Ends the benchmark; says errno. */
static inline void bench_die(const char *what)
{
    (void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(1);
}

static inline void bench_nap(uint64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
                                  .tv_nsec = (long)(ns % NS_PER_SECOND)};

    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* CPU time of this thread. */
static inline uint64_t bench_cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static inline int bench_by_value(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

/* The median in microseconds; sorts the times, which are nanoseconds. */
static inline double bench_median_us(uint64_t *times, size_t n)
{
    qsort(times, n, sizeof(*times), bench_by_value);
    return (double)times[n / 2] / 1e3;
}

/* What a child does that is there to be counted; one that is busy wakes every 100 ms. */
static inline void bench_live(bool busy)
{
    for (;;)
        bench_nap(busy ? NS_PER_SECOND / 10 : 10 * NS_PER_SECOND);
}

static inline void bench_end_children(const pid_t *children, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (children[i] > 1)
            (void)kill(children[i], SIGKILL);
    for (size_t i = 0; i < n; i++)
        (void)waitpid(children[i], NULL, 0);
}
