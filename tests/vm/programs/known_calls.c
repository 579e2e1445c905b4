/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load in which the kernel has a share: system calls that do nothing.
 *
 *     known_calls CALLS INSTRUCTIONS
 *
 * calls so many times, with so many user instructions before each.
 */

#include <sys/syscall.h>
#include <unistd.h>

#include "vm/programs/known_loop.h"

int main(int argc, char **argv)
{
    uint64_t calls = argc == 3 ? known_number(argv[1]) : 0;

    for (uint64_t i = 0; i < calls; i++) {
        known_loop(known_number(argv[2]));
        (void)syscall(SYS_getppid);
    }
    return calls > 0 ? 0 : 2;
}
