/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A task that naps and is preempted, for tests of what latencies add up to.
 *
 *     naps CGROUP_PROCS NAPS
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and says "ready". For each line on
 * standard input it takes so many naps, and says how many nanoseconds have passed since before it
 * waited for that line. So all of that time it ran, waited for its CPU, or was blocked.
 *
 * Meanwhile a task of a real-time class on the same CPU, which is in no such cgroup, preempts it at
 * times that drift through its own period: now and then when it is about to block.
 */

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/program.h"

#define NAP_NS   60000
#define PAUSE_NS 37000
#define SPIN_NS  15000

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void nap(long ns)
{
    const struct timespec pause = {.tv_nsec = ns};

    (void)nanosleep(&pause, NULL);
}

static void stay_on_this_cpu(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        die("sched_setaffinity");
}

/* It is stopped until it is told to continue. */
static void preempt_for_ever(void)
{
    const struct sched_param priority = {.sched_priority = 1};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sched_setscheduler(0, SCHED_FIFO, &priority) < 0)
        die("sched_setscheduler");
    (void)raise(SIGSTOP);
    for (;;) {
        const uint64_t end_ns = now_ns() + SPIN_NS;

        while (now_ns() < end_ns)
            ;
        nap(PAUSE_NS);
    }
}

static void await_stop(pid_t other)
{
    int status;

    if (waitpid(other, &status, WUNTRACED) != other || !WIFSTOPPED(status))
        die("the other task");
}

static pid_t start_other(void)
{
    pid_t other = fork();

    if (other < 0)
        die("fork");
    if (other == 0)
        preempt_for_ever();
    await_stop(other);
    return other;
}

static void take_naps(unsigned long n, pid_t other)
{
    (void)kill(other, SIGCONT);
    for (unsigned long i = 0; i < n; i++)
        nap(NAP_NS);
    (void)kill(other, SIGSTOP);
    await_stop(other);
}

int main(int argc, char **argv)
{
    uint64_t begin_ns;
    char line[16];
    pid_t other;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: naps CGROUP_PROCS NAPS\n");
        return 2;
    }
    stay_on_this_cpu();
    other = start_other();
    enter_cgroup(argv[1]);
    (void)prctl(PR_SET_TIMERSLACK, 1);
    puts("ready");
    (void)fflush(stdout);
    begin_ns = now_ns();
    while (fgets(line, sizeof(line), stdin)) {
        const uint64_t last_ns = begin_ns;

        take_naps(number(argv[2]), other);
        begin_ns = now_ns();
        printf("%llu\n", (unsigned long long)(begin_ns - last_ns));
        (void)fflush(stdout);
    }
    return 0;
}
