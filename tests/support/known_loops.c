/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load of one function with two loops of known shares of its CPU time, for tests of annotation.
 *
 *     known_loops CGROUP_PROCS PERCENT
 *
 * enters the cgroup whose cgroup.procs that is, and burns until it is killed, or whoever started it
 * ends: PERCENT of its time in the first loop, the rest in the second one, as known_shares.c does
 * in functions.
 */

#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "support/program.h"

#define STEPS 10000 /* some 10 us */

#if defined(__clang__)
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

static KEPT _Noreturn void two_loops(unsigned long more)
{
    unsigned long value = 1;
    uint64_t chance = 1;

    for (;;) {
        chance = chance * 6364136223846793005 + 1442695040888963407;
        if ((chance >> 32) % 100 < more) {
            for (unsigned long i = 0; i < STEPS; i++) { /* the first loop begins */
                value = value * 3 + 1;
                __asm__ volatile("" : "+r"(value));
            } /* the first loop ends */
        } else {
            for (unsigned long i = 0; i < STEPS; i++) { /* the second loop begins */
                value = value * 5 + 1;
                __asm__ volatile("" : "+r"(value));
            } /* the second loop ends */
        }
    }
}

int main(int argc, char **argv)
{
    unsigned long more;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: known_loops CGROUP_PROCS PERCENT\n");
        return 2;
    }
    more = number(argv[2]);
    if (more > 100)
        return 2;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    enter_cgroup(argv[1]);
    two_loops(more);
}
