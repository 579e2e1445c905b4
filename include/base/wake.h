/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <errno.h>
#include <sys/eventfd.h>
#include <time.h>

/*
 * Wakes who waits for an eventfd. A waiter that is not woken would wait for ever, so a write that
 * is refused is tried again, for a second at most. EAGAIN: so many have woken it that it is awake.
 */
static inline void wake(int event_fd)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    for (int tries = 0; tries < 1000; tries++) {
        if (eventfd_write(event_fd, 1) == 0 || errno == EAGAIN || errno == EBADF)
            return;
        (void)nanosleep(&moment, NULL);
    }
}
