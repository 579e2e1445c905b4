/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load of two functions with known shares of its CPU time, for tests of profiles.
 *
 *     known_shares CGROUP_PROCS PERCENT
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and burns until it is killed, or
 * whoever started it ends: PERCENT of its time in burn_more(), the rest in burn_less(). Both do the
 * same for each step of their loops, so that shares are those of the steps. The turns are short
 * against the time from one sample to the next.
 */

#include <signal.h>
#include <sys/prctl.h>

#include "support/program.h"

#define STEPS_PER_PERCENT 1000

/* The compiler neither counts the loop out nor makes one function of both. */
#define KEPT __attribute__((noinline))

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
        value = burn_more(value, more * STEPS_PER_PERCENT);
        value = burn_less(value, (100 - more) * STEPS_PER_PERCENT);
    }
}
