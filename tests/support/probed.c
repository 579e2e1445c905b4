/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program with places for probes, each of which is reached as often as it is told.
 *
 *     probed CGROUP_PROCS COMM
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays) and calls itself so. For each line
 * "HERE THERE" on standard input it calls probed_call() that many times itself, and that many times
 * in a new thread; each call passes the markers "plain" and "watched" once, and calls getppid(2)
 * once. Then it writes a line: how many calls in all found the semaphore of "watched" raised, and
 * the first byte of probed_call(), which the kernel replaces while a probe is on it.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "support/marker.h"

/* The kernel counts here who is interested in the marker "watched". */
volatile unsigned short pmu_test_semaphore __attribute__((section(".probes"), used));

void probed_call(void);
void never_called(void);

static unsigned long raised;

__attribute__((noinline)) void probed_call(void)
{
    MARKER("plain", "0");
    if (pmu_test_semaphore > 0)
        __atomic_fetch_add(&raised, 1, __ATOMIC_RELAXED);
    MARKER("watched", "pmu_test_semaphore");
    (void)getppid();
}

/* It has a second marker of a name, which is never passed. */
__attribute__((noinline)) void never_called(void)
{
    MARKER("twice", "0");
    MARKER("twice", "0");
}

static void *call(void *times)
{
    for (unsigned long i = *(unsigned long *)times; i > 0; i--)
        probed_call();
    return NULL;
}

static void enter(const char *procs)
{
    FILE *file = strcmp(procs, "-") == 0 ? NULL : fopen(procs, "we");

    if (file && (fputs("0", file) < 0 || fclose(file) != 0)) {
        perror("probed: cannot enter the cgroup");
        exit(1);
    }
}

static int run(unsigned long here, unsigned long there)
{
    pthread_t thread;
    int error = there ? pthread_create(&thread, NULL, call, &there) : 0;

    if (error) {
        fprintf(stderr, "probed: no thread: %s\n", strerror(error));
        return 1;
    }
    (void)call(&here);
    if (there)
        (void)pthread_join(thread, NULL);
    printf("%lu %u\n", raised, *(const volatile unsigned char *)probed_call);
    return fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[64];

    if (argc != 3)
        return 2;
    (void)prctl(PR_SET_NAME, argv[2]);
    if (getppid() == getpid()) /* it is never so; the function has to be in the program */
        never_called();
    enter(argv[1]);
    while (fgets(line, sizeof(line), stdin)) {
        char *rest;
        const unsigned long here = strtoul(line, &rest, 10), there = strtoul(rest, NULL, 10);

        if (run(here, there) != 0)
            return 1;
    }
    return 0;
}
