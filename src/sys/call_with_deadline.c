/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/call_with_deadline.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define STACK_BYTES ((size_t)32 * 1024) /* a multiple of what the stack is aligned to */
#define KILLED_MS   1000                /* after so long it is looked again whether it has ended */
#define NS_PER_MS   UINT64_C(1000000)

static _Thread_local uint64_t cpu_ns;

struct made_call {
    pid_t parent;
    int (*call)(void *context);
    void *context;
    int result;
};

static int make(void *data)
{
    struct made_call *made = data;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != made->parent)
        return 0;
    made->result = made->call(made->context);
    return 0;
}

/* Whether a process ends in time. errno may be its own, and says nothing. */
static bool ends(int process, unsigned most_ms)
{
    const uint64_t end_ns = clock_monotonic_ns() + most_ms * NS_PER_MS;
    struct pollfd end = {.fd = process, .events = POLLIN};
    uint64_t now_ns;

    while ((now_ns = clock_monotonic_ns()) < end_ns)
        if (poll(&end, 1, (int)((end_ns - now_ns) / NS_PER_MS) + 1) > 0)
            return true;
    return false;
}

static uint64_t to_ns(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_usec * 1000;
}

int call_with_deadline(int (*call)(void *context), void *context, unsigned most_ms)
{
    struct made_call made = {
        .parent = getpid(), .call = call, .context = context, .result = -ETIME};
    AUTO_FREE char *stack = malloc(STACK_BYTES);
    AUTO_CLOSE int process = -1;
    struct rusage usage;
    pid_t pid;

    if (!stack)
        return -ENOMEM;
    pid = clone(make, stack + STACK_BYTES, CLONE_VM | CLONE_FILES | CLONE_PIDFD, &made, &process);
    if (pid < 0)
        return -errno;
    if (!ends(process, most_ms)) {
        (void)pidfd_send_signal(process, SIGKILL, NULL, 0);
        while (!ends(process, KILLED_MS))
            ;
    }
    if (wait4(pid, NULL, __WALL, &usage) == pid)
        cpu_ns += to_ns(&usage.ru_utime) + to_ns(&usage.ru_stime);
    return made.result;
}

uint64_t call_with_deadline_cpu_ns(void)
{
    return cpu_ns;
}
