/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/system_call.h"

#include <asm/unistd.h>
#include <stddef.h>
#include <string.h>

#include "base/cleanup.h"

/* Made of the kernel's headers (system_calls.cmake): [__NR_openat] = "openat", … */
static const char *const names[] = {
#include <system_call_names.inc>
};

const char *system_call_name(unsigned number)
{
    return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

int system_call_number(const char *name)
{
    for (unsigned number = 0; number < ARRAY_SIZE(names); number++)
        if (names[number] && strcmp(names[number], name) == 0)
            return (int)number;
    return -1;
}

/* Whether one of n names is that of the call. Not all of them are calls on every architecture. */
static bool is_among(const char *const *some, size_t n, unsigned number)
{
    const char *name = system_call_name(number);

    for (size_t i = 0; name && i < n; i++)
        if (strcmp(some[i], name) == 0)
            return true;
    return false;
}

bool system_call_returns(unsigned number)
{
    static const char *const without_return[] = {"exit", "exit_group", "rt_sigreturn", "sigreturn"};

    return !is_among(without_return, ARRAY_SIZE(without_return), number);
}

bool system_call_waits(unsigned number)
{
    static const char *const waiting[] = {
        "accept",          "accept4",      "clock_nanosleep", "epoll_pwait",
        "epoll_pwait2",    "epoll_wait",   "futex",           "futex_wait",
        "futex_waitv",     "io_getevents", "io_pgetevents",   "mq_timedreceive",
        "msgrcv",          "nanosleep",    "pause",           "poll",
        "ppoll",           "pselect6",     "restart_syscall", "rt_sigsuspend",
        "rt_sigtimedwait", "select",       "semop",           "semtimedop",
        "wait4",           "waitid",
    };

    return is_among(waiting, ARRAY_SIZE(waiting), number);
}

const char *system_call_class(unsigned number)
{
    return system_call_waits(number) ? "waiting" : "working";
}
