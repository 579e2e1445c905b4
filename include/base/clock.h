/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Clocks, in nanoseconds. Intervals are measured on the monotonic clock only. */

#include <stdint.h>
#include <sys/time.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)

/* CLOCK_MONOTONIC: what timers and intervals are measured by. */
uint64_t clock_monotonic_ns(void);

/* CLOCK_BOOTTIME: as CLOCK_MONOTONIC, but it goes on while the machine is suspended. */
uint64_t clock_boottime_ns(void);

/* CLOCK_THREAD_CPUTIME_ID: the CPU time of the thread that asks. */
uint64_t clock_thread_cpu_ns(void);

/* CLOCK_REALTIME: the time of day. Somebody may set it, so two readings are never subtracted. */
uint64_t clock_realtime_ns(void);

/* A time as getrusage(2) and wait4(2) give it, which is not below 0. */
static inline uint64_t timeval_ns(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_usec * 1000;
}
