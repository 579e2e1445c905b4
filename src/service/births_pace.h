/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How soon births and ends are followed. After the first that is announced we wait a moment for
 * others, and for the programs that new processes execute; then all of them are followed. How long
 * that takes decides when it may be done again. So a storm of births costs a bounded share of the
 * thread's time; the cycle finds what was left.
 *
 * Opening what was born is what costs most, and may be left to the cycle. Ends are never left to
 * it: until they are read and closed, the kernel cannot free the cgroup. So where there is no time
 * to open, what has ended is followed alone. Times are by CLOCK_MONOTONIC in nanoseconds, except
 * CPU time.
 */

#include <stdbool.h>
#include <stdint.h>

/* The wait after the first birth. Most processes have executed their program by then. */
#define BIRTHS_GATHER_NS UINT64_C(2000000)

/* The shortest rest between the end of following births and the next time. */
#define BIRTHS_REST_NS UINT64_C(8000000)

/*
 * The rest is also this many times the CPU time that following took: so it takes a tenth of a CPU
 * at most with what was born, and a seventh with what has ended.
 */
#define BIRTHS_REST_FACTOR 9
#define ENDS_REST_FACTOR   6

struct births_pace {
    uint64_t next_ns;   /* nothing is followed before */
    uint64_t rested_ns; /* what was born is not opened before */
    uint64_t took_ns;   /* what opening it took by the clock; it fades, so that it is tried again */
};

/* Returns the time at which what is announced now is to be followed. */
static inline uint64_t births_pace_due(const struct births_pace *pace, uint64_t now_ns)
{
    uint64_t gathered_ns = now_ns + BIRTHS_GATHER_NS;

    return gathered_ns > pace->next_ns ? gathered_ns : pace->next_ns;
}

/* Tells whether ends that are followed at that time are probably done before the next cycle. */
static inline bool births_pace_fits(uint64_t at_ns, uint64_t cycle_ns)
{
    return at_ns + BIRTHS_GATHER_NS <= cycle_ns;
}

/*
 * Tells whether what was born may be opened at that time, and that is probably done before the next
 * cycle is due. If not, it is left to a later time, or to the cycle.
 */
static inline bool births_pace_may_open(const struct births_pace *pace, uint64_t at_ns,
                                        uint64_t cycle_ns)
{
    return at_ns >= pace->rested_ns && births_pace_fits(at_ns + pace->took_ns, cycle_ns);
}

static inline uint64_t births_pace_later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

/*
 * Notes that births and ends have just been followed, whether what was born was opened, and what
 * that took by the clock and in CPU time.
 */
static inline void births_pace_followed(struct births_pace *pace, bool opened, uint64_t took_ns,
                                        uint64_t cpu_ns, uint64_t now_ns)
{
    pace->next_ns = now_ns + births_pace_later(ENDS_REST_FACTOR * cpu_ns, BIRTHS_REST_NS);
    pace->rested_ns = births_pace_later(
        births_pace_later(pace->rested_ns, now_ns) + BIRTHS_REST_FACTOR * cpu_ns, pace->next_ns);
    if (opened)
        pace->took_ns = took_ns;
}

/* Notes that a cycle has passed: a following that took long once is not the rule for ever. */
static inline void births_pace_cycle(struct births_pace *pace)
{
    pace->took_ns -= pace->took_ns / 8;
}
