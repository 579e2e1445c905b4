/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bounded load in a cgroup of its own, for tests that compare two ways of
 * counting it.
 *
 *     load CGROUP_PROCS SWITCHES FAULTS BURN_MS MIGRATIONS
 *
 * waits for a byte on standard input, enters the cgroup whose cgroup.procs that
 * is ("-": stays), and then makes as many context switches (two processes that
 * hand a byte to and fro on one CPU), page faults (first touches of fresh
 * memory) and moves between CPUs as it was told, burns CPU time, and ends. What
 * it makes is bounded below by the numbers; the kernel adds its own few.
 */

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/program.h"

static void wait_for_go(void)
{
    char byte;

    if (read(STDIN_FILENO, &byte, 1) != 1)
        exit(0); /* whoever started us has gone */
}

static void pass_bytes(int in, int out, unsigned long n)
{
    char byte = 'x';

    for (unsigned long i = 0; i < n; i++)
        if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
            die("pipe");
}

static void return_bytes(int in, int out)
{
    char byte;

    while (read(in, &byte, 1) == 1)
        if (write(out, &byte, 1) != 1)
            break;
}

static void run_on_cpu(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        die("sched_setaffinity");
}

static void make_switches(unsigned long n)
{
    int there[2];
    int back[2];

    if (n == 0)
        return;
    if (pipe(there) < 0 || pipe(back) < 0)
        die("pipe");
    run_on_cpu(sched_getcpu()); /* on two CPUs neither would have to give way */

    pid_t child = fork();

    if (child < 0)
        die("fork");
    if (child == 0) {
        (void)close(there[1]);
        (void)close(back[0]);
        return_bytes(there[0], back[1]);
        _exit(0);
    }
    (void)close(there[0]);
    (void)close(back[1]);
    pass_bytes(back[0], there[1], n / 2); /* there and back are two */
    (void)close(there[1]);
    if (waitpid(child, NULL, 0) != child)
        die("waitpid");
}

static void make_faults(unsigned long n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (n == 0)
        return;

    char *memory = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        die("mmap");
    (void)madvise(memory, n * page, MADV_NOHUGEPAGE); /* EINVAL where there are none */
    for (unsigned long i = 0; i < n; i++)
        *(volatile char *)(memory + i * page) = 1;
    (void)munmap(memory, n * page);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void burn(unsigned long ms)
{
    uint64_t begin_ns = cpu_ns();

    while (cpu_ns() - begin_ns < ms * UINT64_C(1000000))
        for (volatile int i = 0; i < 10000; i++)
            ;
}

static void migrate(unsigned long n)
{
    int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

    for (unsigned long i = 0; i < n; i++)
        run_on_cpu((sched_getcpu() + 1) % n_cpus);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: load CGROUP_PROCS SWITCHES FAULTS BURN_MS MIGRATIONS\n");
        return 2;
    }

    unsigned long switches = number(argv[2]);
    unsigned long faults = number(argv[3]);
    unsigned long burn_ms = number(argv[4]);
    unsigned long migrations = number(argv[5]);

    wait_for_go();
    enter_cgroup(argv[1]);
    migrate(migrations);
    make_faults(faults);
    burn(burn_ms);
    make_switches(switches);
    return 0;
}
