/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load of one function with two loops of known shares of its CPU time, for tests of annotation.
 *
 *     known_loops CGROUP_PROCS PERCENT
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and burns until it is killed, or
 * whoever started it ends: PERCENT of its time in the first loop, the rest in the second one.
 */
#include "support/share_load.h"

static KEPT _Noreturn void two_loops(unsigned long percent)
{
    unsigned long value = 1;
    uint64_t chance = 1;

    for (;;) {
        if (draw_first(&chance, percent)) {
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
    two_loops(begin_share_load(argc, argv));
}
