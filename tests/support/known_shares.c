/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load of two functions with known shares of its CPU time, for tests of profiles.
 *
 *     known_shares CGROUP_PROCS PERCENT
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and burns until it is killed, or
 * whoever started it ends: PERCENT of its time in burn_more(), the rest in burn_less().
 */
#include "support/share_load.h"

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
    const unsigned long percent = begin_share_load(argc, argv);
    unsigned long value = 1;
    uint64_t chance = 1;

    for (;;)
        value = draw_first(&chance, percent) ? burn_more(value, STEPS) : burn_less(value, STEPS);
}
