/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load whose user instructions in its cgroup are known to the one.
 *
 *     known_load INSIDE OUTSIDE INSTRUCTIONS
 *
 * writes itself into the file INSIDE (a cgroup.procs), loops, and writes itself
 * into OUTSIDE. Between the return of the first write and the end of the second's
 * call there is nothing but the instructions that stand here: a multiple of 64, and 4.
 */

#include "vm/programs/known_loop.h"

/* The instructions from the first svc to the second, which counts, beside the loop. */
#define AROUND 4

/* Returns the sum of what the two writes returned. */
static long run(long inside, long outside, uint64_t rounds)
{
    register long x0 __asm__("x0") = inside;
    register const char *x1 __asm__("x1") = "0";
    register long x2 __asm__("x2") = 1;
    register long x8 __asm__("x8") = 64; /* write */

    __asm__ volatile("svc #0\n"
                     "mov x3, x0\n"
                     "mov x0, %[outside]\n" KNOWN_LOOP "nop\n"
                     "svc #0\n"
                     "add x0, x0, x3\n"
                     : "+r"(x0), [rounds] "+r"(rounds)
                     : "r"(x1), "r"(x2), "r"(x8), [outside] "r"(outside)
                     : "x3", "cc", "memory");
    return x0;
}

int main(int argc, char **argv)
{
    uint64_t instructions = argc == 4 ? known_number(argv[3]) : 0;

    if (instructions < AROUND + KNOWN_ROUND || instructions % KNOWN_ROUND != AROUND) {
        fprintf(stderr,
                "usage: known_load INSIDE OUTSIDE INSTRUCTIONS (a multiple of 64, and 4)\n");
        return 2;
    }
    return run(known_open(argv[1]), known_open(argv[2]), instructions / KNOWN_ROUND) == 2 ? 0 : 1;
}
