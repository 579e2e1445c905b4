/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program (LD_PRELOAD), it shifts the time of day by PMU_TEST_SHIFT seconds, and
 * no other clock: so an exporter records a past. (libfaketime also changes what timers wait for.)
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock_id, struct timespec *tp)
{
    const char *shift = getenv("PMU_TEST_SHIFT");
    const int status = (int)syscall(SYS_clock_gettime, clock_id, tp);

    if (status == 0 && clock_id == CLOCK_REALTIME && shift)
        tp->tv_sec += strtol(shift, NULL, 10);
    return status;
}
