/* SPDX-License-Identifier: Apache-2.0 */

/*
 * System calls whose times are known.
 *
 *     known_naps CALLS NAPS MILLISECONDS
 *
 * calls getppid(2) so many times, and then takes so many naps of that length.
 */

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vm/programs/known_loop.h"

int main(int argc, char **argv)
{
    const uint64_t calls = argc == 4 ? known_number(argv[1]) : 0;
    const uint64_t naps = argc == 4 ? known_number(argv[2]) : 0;
    struct timespec nap = {0};

    for (uint64_t i = 0; i < calls; i++)
        (void)syscall(SYS_getppid);
    for (uint64_t i = 0; i < naps; i++) {
        nap.tv_nsec = (long)known_number(argv[3]) * 1000000;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
    }
    return calls > 0 ? 0 : 2;
}
