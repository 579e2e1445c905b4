/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A sleep that the kernel takes for a wait is no wait of ours. Linux 6.12 and later leave a task
 * that falls asleep in the queue of its CPU for some milliseconds (the feature DELAY_DEQUEUE of the
 * scheduler), and forget that it sleeps if it is moved to another CPU then.
 */
#include "count/bpf/latency_meters.h"

#include <stdatomic.h>
#include <sys/resource.h>

#include "support/worker.h"

#define N_NAPS 3
#define NAP_NS 1500000000 /* longer than a wait for a CPU on a busy machine */

/* In a mapping that a worker and who moves it share. */
struct naps {
    atomic_int begun; /* the nap that has begun, or is about to */
    pid_t sleeper;
};

static struct naps *naps;

/* Keeps CPU 0 busy, so that the kernel looks at who falls asleep there only later. */
static void spin(const void *unused, int ready)
{
    (void)unused;
    stay_on(0);
    (void)!write(ready, "r", 1);
    for (;;)
        ;
}

/* Moves the sleeper to CPU 1 as soon as it sleeps, each time. */
static void move_who_falls_asleep(const void *unused, int ready)
{
    (void)unused;
    stay_on(1);
    (void)!write(ready, "r", 1);
    for (int nap = 1; nap <= N_NAPS; nap++) {
        cpu_set_t other;

        while (atomic_load(&naps->begun) < nap || ask_once(naps->sleeper).state != 'S')
            ;
        CPU_ZERO(&other);
        CPU_SET(1, &other);
        (void)sched_setaffinity(naps->sleeper, sizeof(other), &other);
    }
    (void)pause();
}

/*
 * Takes more than its share of CPU 0 before each nap: then the kernel keeps it in its queue, and
 * the longer the less its share is.
 */
static void nap_often(void)
{
    (void)setpriority(PRIO_PROCESS, 0, 10);
    for (int nap = 1; nap <= N_NAPS; nap++) {
        const struct timespec pause = {.tv_sec = NAP_NS / 1000000000,
                                       .tv_nsec = NAP_NS % 1000000000};
        struct timespec ran;
        int64_t until;

        stay_on(0);
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
        until = ran.tv_sec * 1000000000ll + ran.tv_nsec + 5000000;
        while (ran.tv_sec * 1000000000ll + ran.tv_nsec < until)
            (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
        atomic_store(&naps->begun, nap);
        (void)nanosleep(&pause, NULL);
    }
}

static void who_is_moved_as_it_falls_asleep_does_not_wait_for_so_long(void **state)
{
    struct fixture *f = need_bpf(state);
    struct latency_meter *meter;
    struct worker worker;
    pid_t spinner, mover;

    if (f->cpus->n < 2 || f->cpus->cpus[0].value != 0 || f->cpus->cpus[1].value != 1)
        skip();
    naps = mmap(NULL, sizeof(*naps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(naps != MAP_FAILED);
    worker = start_worker(nap_often);
    naps->sleeper = worker.pid;
    spinner = child_new(spin, NULL);
    mover = child_new(move_who_falls_asleep, NULL);
    meter = open_meter(f, &worker.pid, 1, INHERIT_THREADS);
    (void)work_once(&worker);
    assert_int_equal(count_above(read_meter(f, meter), LATENCY_RUN_QUEUE, 0), 0);
    (void)latency_meter_free(meter);
    child_end(mover);
    child_end(spinner);
    end_worker(&worker);
    (void)munmap(naps, sizeof(*naps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_moved_as_it_falls_asleep_does_not_wait_for_so_long),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
