/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load of two functions with known shares of its CPU time, for tests of profiles.
 *
 *     known_shares CGROUP_PROCS PERCENT
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and burns until it is killed, or
 * whoever started it ends: PERCENT of its time in burn_more(), the rest in burn_less(). Both do the
 * same for each step of their loops, so that shares are those of the steps. Whose turn it is is
 * drawn many times between two samples: functions that took their turns would keep time with a
 * sampler for a while.
 */

#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "support/program.h"

#define STEPS 10000 /* some 10 us */

/* The compiler neither counts the loop out, nor makes one function of both, nor copies of them. */
#if defined(__clang__)
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

static KEPT unsigned long burn_more(unsigned long value, unsigned long steps)
{
    for (unsigned long i = 0; i < steps; i++) {
        value = value * 3 + 1;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

static KEPT unsigned long burn_less(unsigned long value, unsigned long steps)
{
    for (unsigned long i = 0; i < steps; i++) {
        value = value * 5 + 1;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

int main(int argc, char **argv)
{
    unsigned long more, value = 1;
    uint64_t chance = 1;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: known_shares CGROUP_PROCS PERCENT\n");
        return 2;
    }
    more = number(argv[2]);
    if (more > 100)
        return 2;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    enter_cgroup(argv[1]);
    for (;;) {
        chance = chance * 6364136223846793005 + 1442695040888963407;
        if ((chance >> 32) % 100 < more)
            value = burn_more(value, STEPS);
        else
            value = burn_less(value, STEPS);
    }
}
