/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How soon births are followed. The first that is told waits a moment for others, and for the
 * programs that processes execute; then it is done for all of them. What that takes decides when
 * it may be done again: so a storm of births costs a bounded share of the thread's time, and what
 * it leaves is found by the cycle. Times are CLOCK_MONOTONIC in nanoseconds, but for CPU time.
 */

#include <stdbool.h>
#include <stdint.h>

/* From the first that is told. Most processes have executed their program by then. */
#define BIRTHS_GATHER_NS UINT64_C(2000000)

/* From the end of one following to the next, at least … */
#define BIRTHS_REST_NS UINT64_C(8000000)

/* … and so many times the CPU time that it took: it takes a tenth of a CPU at most. */
#define BIRTHS_REST_FACTOR 9

struct births_pace {
    uint64_t rested_ns; /* not before this time */
    uint64_t took_ns;   /* what the last one took, in time that passed */
};

/* When births are to be followed that are told of now. */
static inline uint64_t births_pace_due(const struct births_pace *pace, uint64_t now_ns)
{
    uint64_t gathered_ns = now_ns + BIRTHS_GATHER_NS;

    return gathered_ns > pace->rested_ns ? gathered_ns : pace->rested_ns;
}

/* Whether, as things are, it would be over before a cycle that is due then; else it is left to it.
 */
static inline bool births_pace_fits(const struct births_pace *pace, uint64_t at_ns,
                                    uint64_t cycle_ns)
{
    return at_ns + BIRTHS_GATHER_NS + pace->took_ns <= cycle_ns;
}

/* Births have been followed, up to now: what that took, in time that passed and of a CPU. */
static inline void births_pace_followed(struct births_pace *pace, uint64_t took_ns, uint64_t cpu_ns,
                                        uint64_t now_ns)
{
    uint64_t rest_ns = BIRTHS_REST_FACTOR * cpu_ns;

    pace->rested_ns = now_ns + (rest_ns > BIRTHS_REST_NS ? rest_ns : BIRTHS_REST_NS);
    pace->took_ns = took_ns;
}
