/* SPDX-License-Identifier: Apache-2.0 */

/* The table of threads that are away from their CPUs, by the real program. */
#include "count/bpf/real_bpf.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define N_SLEEPERS 3000

static struct {
    atomic_int n_begun;
    int end[2];
} * sleepers; /* shared with the child that has the threads */

static void *sleep_until_the_end(void *unused)
{
    char byte;

    (void)unused;
    (void)atomic_fetch_add(&sleepers->n_begun, 1);
    (void)!read(sleepers->end[0], &byte, 1);
    return NULL;
}

/* Ends when the other end of the pipe is closed. */
static void make_sleepers(void)
{
    pthread_attr_t attributes;
    pthread_t threads[N_SLEEPERS];

    (void)close(sleepers->end[1]);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, 1 << 16);
    for (size_t i = 0; i < N_SLEEPERS; i++)
        if (pthread_create(&threads[i], &attributes, sleep_until_the_end, NULL) != 0)
            _exit(1);
    for (size_t i = 0; i < N_SLEEPERS; i++)
        (void)pthread_join(threads[i], NULL);
    _exit(0);
}

/* How many blocks are unknown with so many places, while all those threads sleep at once. */
static uint64_t count_unknown_of_sleepers(uint64_t n_threads)
{
    AUTO(cpu_list) struct cpu_list *cpus = read_online_cpus();
    const struct switch_program_size size = {.n_slots = SWITCH_PROGRAM_FIRST + 1,
                                             .n_lanes = BPF_GROUP_LANES(1),
                                             .n_latency_slots = SWITCH_PROGRAM_FIRST + 1,
                                             .n_threads = n_threads};
    struct mechanism *bpf = make_real_bpf(cpus, size);
    uint64_t unknown;
    pid_t child;
    int status;

    if (!bpf)
        skip();
    atomic_store(&sleepers->n_begun, 0);
    assert_int_equal(pipe2(sleepers->end, O_CLOEXEC), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        make_sleepers();
    while (atomic_load(&sleepers->n_begun) < N_SLEEPERS && waitpid(child, &status, WNOHANG) == 0)
        (void)sched_yield();
    assert_int_equal(atomic_load(&sleepers->n_begun), N_SLEEPERS);
    (void)close(sleepers->end[1]);
    (void)close(sleepers->end[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    mechanism_refresh(bpf);
    unknown = bpf->unknown_latencies;
    free_real_bpf(bpf);
    return unknown;
}

/* Of other waits some may be unknown as well, but far fewer. */
static void threads_that_sleep_at_once_are_remembered_where_each_has_a_place(void **state)
{
    uint64_t few_places, enough;

    (void)state;
    sleepers =
        mmap(NULL, sizeof(*sleepers), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true((void *)sleepers != MAP_FAILED);
    few_places = count_unknown_of_sleepers(1024);
    enough = count_unknown_of_sleepers(1 << 16);
    print_message("%u threads: unknown with 1,024 places %" PRIu64 ", with 65,536 %" PRIu64 "\n",
                  N_SLEEPERS, few_places, enough);
    assert_true(few_places >= N_SLEEPERS - 1024 - N_SLEEPERS / 10);
    assert_true(enough < N_SLEEPERS / 10);
    (void)munmap(sleepers, sizeof(*sleepers));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_sleep_at_once_are_remembered_where_each_has_a_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
