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
/* A killed process that has not ended by then waits for what no signal ends. */
#define KILLED_MS 1000

#define MOST_LEFT_BEHIND 64

#ifndef CALL_FLAGS /* more flags of clone(): a build with ThreadSanitizer has one (CMakeLists.txt) \
                    */
#define CALL_FLAGS 0
#endif

/* It is the process's own until that has ended, as what it is called with. */
struct made_call {
    struct made_call *next; /* of those that were left behind */
    pid_t parent, pid;
    int process; /* a descriptor (pidfd) */
    int (*call)(void *context);
    void *context;
    int result;
    _Alignas(16) char stack[STACK_BYTES];
};

static _Thread_local struct made_call *left_behind;
static _Thread_local size_t n_left_behind;
static _Thread_local uint64_t cpu_ns;

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
static bool ends(const struct made_call *made, unsigned most_ms)
{
    const uint64_t end_ns = clock_monotonic_ns() + most_ms * NS_PER_MS;
    struct pollfd end = {.fd = made->process, .events = POLLIN};
    uint64_t now_ns;

    do {
        now_ns = clock_monotonic_ns();
        if (poll(&end, 1, now_ns < end_ns ? (int)((end_ns - now_ns) / NS_PER_MS) + 1 : 0) > 0)
            return true;
    } while (now_ns < end_ns);
    return false;
}

/* Frees a call of which the process has ended. */
static void end(struct made_call *made)
{
    struct rusage usage;

    if (wait4(made->pid, NULL, __WALL, &usage) == made->pid)
        cpu_ns += timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
    (void)close(made->process);
    free(made);
}

static void end_left_behind(void)
{
    struct made_call **at = &left_behind;

    while (*at) {
        struct made_call *made = *at;

        if (!ends(made, 0)) {
            at = &made->next;
            continue;
        }
        *at = made->next;
        n_left_behind--;
        free(made->context);
        end(made);
    }
}

static void leave_behind(struct made_call *made)
{
    made->next = left_behind;
    left_behind = made;
    n_left_behind++;
}

/* NULL: there is no process. */
static struct made_call *begin(int (*call)(void *context), void *context)
{
    struct made_call *made = malloc(sizeof(*made));

    if (!made)
        return NULL;
    made->parent = getpid();
    made->call = call;
    made->context = context;
    made->result = -ETIME;
    made->pid = clone(make, made->stack + STACK_BYTES,
                      CLONE_VM | CLONE_FILES | CLONE_PIDFD | CALL_FLAGS, made, &made->process);
    if (made->pid > 0)
        return made;
    free(made);
    return NULL;
}

int call_with_deadline(int (*call)(void *context), void *context, unsigned most_ms)
{
    struct made_call *made = NULL;
    int r;

    end_left_behind();
    if (n_left_behind < MOST_LEFT_BEHIND)
        made = begin(call, context);
    if (!made)
        return -EAGAIN;
    if (!ends(made, most_ms)) {
        (void)pidfd_send_signal(made->process, SIGKILL, NULL, 0);
        if (!ends(made, KILLED_MS)) {
            leave_behind(made);
            return -EINPROGRESS;
        }
    }
    r = made->result;
    end(made);
    return r;
}

uint64_t call_with_deadline_cpu_ns(void)
{
    return cpu_ns;
}
