/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What loads of two parts with known shares of CPU time have in common. Whose turn it is is drawn
 * many times between two samples: parts that took their turns would keep time with a sampler for a
 * while. Both parts do as much for each step of their loops, so that shares are those of the steps.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "support/program.h"

#define STEPS 10000 /* of a turn: some 10 us */

/* The compiler neither counts a loop out, nor makes one function of two, nor copies of them; and
 * where they are in lines of the cache is the same of all. */
#if defined(__clang__)
#define KEPT __attribute__((noinline, aligned(64)))
#else
#define KEPT __attribute__((noipa, aligned(64)))
#endif

/*
 * Takes the arguments CGROUP_PROCS ("-": stays) and PERCENT, enters the cgroup, and has the program
 * end with whoever started it. Returns the percent of the first part.
 */
static inline unsigned long begin_share_load(int argc, char **argv)
{
    unsigned long percent;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: %s CGROUP_PROCS PERCENT\n", program_invocation_short_name);
        exit(2);
    }
    percent = number(argv[2]);
    if (percent > 100)
        exit(2);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    enter_cgroup(argv[1]);
    return percent;
}

/* Whether it is the turn of the first part. */
static inline bool draw_first(uint64_t *chance, unsigned long percent)
{
    *chance = *chance * 6364136223846793005 + 1442695040888963407;
    return (*chance >> 32) % 100 < percent;
}
