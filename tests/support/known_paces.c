/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two threads on one CPU that have page faults at very different paces, for tests of profiles: who
 * samples both as often takes the slow one's faults for many.
 *
 *     known_paces CGROUP_PROCS
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and goes on until it is killed, or
 * whoever started it ends. The first thread faults in touch_fast(), as often as it can; the second
 * one, whose name is "slow", in touch_slow(), after so much burning each that it faults far less.
 * /proc/PID/task/TID/stat tells how many faults either has.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/share_load.h"

#define PAGES 64

static KEPT void touch_fast(volatile char *page)
{
    *page = 1;
}

static KEPT void touch_slow(volatile char *page)
{
    *page = 2;
}

static KEPT void burn(void)
{
    for (unsigned long i = 0; i < STEPS * 5; i++)
        __asm__ volatile("" : "+r"(i));
}

static KEPT void __attribute__((noreturn)) fault(void (*touch)(volatile char *), bool is_slow)
{
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    char *pages =
        mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED || madvise(pages, PAGES * size, MADV_NOHUGEPAGE) < 0)
        exit(EXIT_FAILURE);
    for (;;) {
        for (size_t i = 0; i < PAGES; i++) {
            touch(pages + i * size);
            if (is_slow)
                burn();
        }
        if (madvise(pages, PAGES * size, MADV_DONTNEED) < 0)
            exit(EXIT_FAILURE);
    }
}

static void *fault_slowly(void *unused)
{
    (void)unused;
    (void)prctl(PR_SET_NAME, "slow");
    fault(touch_slow, true);
}

int main(int argc, char **argv)
{
    pthread_t slow;
    cpu_set_t set;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s CGROUP_PROCS\n", program_invocation_short_name);
        return 2;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    enter_cgroup(argv[1]);
    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0 ||
        pthread_create(&slow, NULL, fault_slowly, NULL) != 0)
        return EXIT_FAILURE;
    fault(touch_fast, false);
}
