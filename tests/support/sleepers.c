/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Threads that sleep, all at once, for tests of how many can be followed.
 *
 *     sleepers CGROUP_PROCS THREADS
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), starts so many threads, each of which
 * is blocked, and says "ready". For each line on standard input all are woken, and are blocked
 * again; then it says "done".
 */

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/program.h"

#define STACK (1 << 16)

static atomic_uint turn;           /* changes when all are to be woken */
static atomic_ulong n_have_turned; /* how often threads have been about to sleep */

static void *sleep_in_turns(void *unused)
{
    unsigned seen = 0;

    (void)unused;
    for (;;) {
        (void)atomic_fetch_add(&n_have_turned, 1);
        while (atomic_load(&turn) == seen)
            (void)syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        seen++;
    }
    return NULL;
}

static void await(unsigned long n)
{
    while (atomic_load(&n_have_turned) < n)
        (void)sched_yield();
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    unsigned long n_threads;
    char line[16];

    if (argc != 3) {
        (void)fprintf(stderr, "usage: sleepers CGROUP_PROCS THREADS\n");
        return 2;
    }
    enter_cgroup(argv[1]);
    n_threads = number(argv[2]);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK);
    for (unsigned long i = 0; i < n_threads; i++) {
        pthread_t thread;

        errno = pthread_create(&thread, &attributes, sleep_in_turns, NULL);
        if (errno)
            die("a thread");
    }
    await(n_threads);
    puts("ready");
    (void)fflush(stdout);
    for (unsigned long n_turns = 1; fgets(line, sizeof(line), stdin); n_turns++) {
        (void)atomic_fetch_add(&turn, 1);
        (void)syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        await((n_turns + 1) * n_threads);
        puts("done");
        (void)fflush(stdout);
    }
    _exit(0); /* the threads sleep for ever */
}
