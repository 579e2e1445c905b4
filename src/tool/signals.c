/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

int signals_take(struct signals *ret_signals)
{
    (void)sigemptyset(&ret_signals->mask);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        (void)sigaddset(&ret_signals->mask, numbers[i]);
        /* A shell starts what stands before & with SIGINT ignored, and then it would not arrive. */
        if (numbers[i] != SIGHUP)
            (void)signal(numbers[i], SIG_DFL);
    }
    return sigprocmask(SIG_BLOCK, &ret_signals->mask, &ret_signals->before) < 0 ? -errno : 0;
}

int signals_wait(const struct signals *signals, uint64_t ns, bool *ret_is_of_terminal)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
                                  .tv_nsec = (long)(ns % NS_PER_SECOND)};
    siginfo_t info = {0};
    const int number = sigtimedwait(&signals->mask, &info, &time);

    if (ret_is_of_terminal)
        *ret_is_of_terminal = info.si_code == SI_KERNEL;
    return number < 0 || number == SIGCHLD ? 0 : number;
}

void signals_release(struct signals *signals)
{
    (void)sigprocmask(SIG_SETMASK, &signals->before, NULL);
    (void)sigemptyset(&signals->mask);
}
