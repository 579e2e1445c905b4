/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How soon births are followed. After the first birth that is announced we wait a moment for
 * others, and for the programs that new processes execute; then all of them are followed. How long
 * that takes decides when it may be done again. So a storm of births costs a bounded share of the
 * thread's time; the cycle finds what was left. Times are by CLOCK_MONOTONIC in nanoseconds, except
 * CPU time.
 */

#include <stdbool.h>
#include <stdint.h>

/* The wait after the first birth. Most processes have executed their program by then. */
#define BIRTHS_GATHER_NS UINT64_C(2000000)

/* The shortest rest between the end of following births and the next time. */
#define BIRTHS_REST_NS UINT64_C(8000000)

/*
 * The rest is also this many times the CPU time that following took: so following births takes a
 * tenth of a CPU at most.
 */
#define BIRTHS_REST_FACTOR 9

struct births_pace {
    uint64_t rested_ns; /* The rest is over at this time: births are not followed before. */
    uint64_t took_ns;   /* Following births took so long the last time, by the clock. */
};

/* Returns the time at which births that are announced now are to be followed. */
static inline uint64_t births_pace_due(const struct births_pace *pace, uint64_t now_ns)
{
    uint64_t gathered_ns = now_ns + BIRTHS_GATHER_NS;

    return gathered_ns > pace->rested_ns ? gathered_ns : pace->rested_ns;
}

/*
 * Tells whether births that are followed at that time are probably done before the next cycle is
 * due. If not, they are left to the cycle.
 */
static inline bool births_pace_fits(const struct births_pace *pace, uint64_t at_ns,
                                    uint64_t cycle_ns)
{
    return at_ns + BIRTHS_GATHER_NS + pace->took_ns <= cycle_ns;
}

/* Notes that births have just been followed, and what that took by the clock and in CPU time. */
static inline void births_pace_followed(struct births_pace *pace, uint64_t took_ns, uint64_t cpu_ns,
                                        uint64_t now_ns)
{
    uint64_t rest_ns = BIRTHS_REST_FACTOR * cpu_ns;

    pace->rested_ns = now_ns + (rest_ns > BIRTHS_REST_NS ? rest_ns : BIRTHS_REST_NS);
    pace->took_ns = took_ns;
}
