/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Latencies of processes that we start, by the real program, against what the kernel tells of them
 * itself: /proc/PID/schedstat and the switches in /proc/PID/status. Skipped where bpf cannot be
 * loaded.
 */
#include "count/bpf/latency_meters.h"
#include "support/worker.h"

#define N_SLEEPS   200
#define N_TURNS    2000
#define N_MOVES    200
#define N_CHILDREN 100

/*
 * unknown: how many waits the program could not tell, of whomever. Linux 6.12 and later take the
 * sleep of a task for a wait if it is moved at its beginning: such a wait is not in the sum.
 */
static void assert_agrees(const struct latencies *latencies, const struct told *told,
                          uint64_t unknown)
{
    const uint64_t n_waits = count_of(latencies, LATENCY_RUN_QUEUE);
    const uint64_t n_blocks = count_of(latencies, LATENCY_OFF_CPU_INTERRUPTIBLE) +
                              count_of(latencies, LATENCY_OFF_CPU_UNINTERRUPTIBLE);

    assert_int_equal(count_of(latencies, LATENCY_ON_CPU), told->n_arrivals);
    assert_int_equal(latencies->tallies[LATENCY_SWITCHES_VOLUNTARY], told->voluntary);
    assert_int_equal(latencies->tallies[LATENCY_SWITCHES_INVOLUNTARY], told->involuntary);
    assert_in_range(n_waits, told->n_arrivals - unknown, told->n_arrivals);
    assert_in_range(n_blocks, told->voluntary - unknown, told->voluntary);
    if (n_waits == told->n_arrivals)
        assert_int_equal(latencies->sums_ns[LATENCY_RUN_QUEUE], told->waited_ns);
    assert_true(latencies->sums_ns[LATENCY_RUN_QUEUE] <= told->waited_ns);
    /* a slice is wall time, with what a hypervisor and interrupts take of it */
    assert_true(latencies->sums_ns[LATENCY_ON_CPU] + 1000000 >= told->ran_ns);
}

/* How many waits and blocks could not be told until now. */
static uint64_t count_unknown(struct fixture *f)
{
    mechanism_refresh(f->bpf);
    return f->bpf->unknown_latencies;
}

/* Has a worker do its work, and compares what the program and the kernel tell of it. */
static const struct latencies *work_and_compare(struct fixture *f, void (*work)(void))
{
    const struct worker worker = start_worker(work);
    struct latency_meter *meter = open_meter(f, &worker.pid, 1, INHERIT_THREADS);
    const uint64_t unknown = count_unknown(f);
    const struct told told = work_once(&worker);
    const struct latencies *latencies = read_meter(f, meter);

    assert_agrees(latencies, &told, count_unknown(f) - unknown);
    (void)latency_meter_free(meter);
    end_worker(&worker);
    return latencies;
}

static void sleep_often(void)
{
    for (int i = 0; i < N_SLEEPS; i++) {
        const struct timespec pause = {.tv_nsec = 1000000};

        (void)nanosleep(&pause, NULL);
    }
}

/* A sleep of a millisecond is longer than 2^-10 s, which is 0.98 ms. */
static void sleeps_are_blocks_as_long_as_they_were(void **state)
{
    const struct latencies *latencies = work_and_compare(need_bpf(state), sleep_often);

    assert_true(count_above(latencies, LATENCY_OFF_CPU_INTERRUPTIBLE, -10) >= N_SLEEPS);
    assert_true(latencies->sums_ns[LATENCY_OFF_CPU_INTERRUPTIBLE] >= N_SLEEPS * 1000000ull);
}

static void set_batch(void)
{
    const struct sched_param none = {0};

    (void)sched_setscheduler(0, SCHED_BATCH, &none);
}

/* Two tasks that do not preempt each other, on one CPU, hand a byte to and fro. */
static void take_turns(void)
{
    int there[2], back[2];
    char byte = 'x';
    pid_t other;

    set_batch();
    stay_on(sched_getcpu());
    if (pipe2(there, O_CLOEXEC) < 0 || pipe2(back, O_CLOEXEC) < 0)
        _exit(1);
    other = fork();
    if (other == 0) {
        while (read(there[0], &byte, 1) == 1 && byte != 'e')
            (void)!write(back[1], &byte, 1);
        _exit(0);
    }
    for (int i = 0; i < N_TURNS; i++)
        if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
            _exit(1);
    byte = 'e';
    (void)!write(there[1], &byte, 1);
    (void)waitpid(other, NULL, 0);
    for (int i = 0; i < 2; i++) {
        (void)close(there[i]);
        (void)close(back[i]);
    }
}

/* Some turns end by preemption, where the machine is busy with others. */
static void turns_of_two_tasks_are_blocks_and_waits_of_each(void **state)
{
    const struct latencies *latencies = work_and_compare(need_bpf(state), take_turns);

    assert_true(latencies->tallies[LATENCY_SWITCHES_VOLUNTARY] >= N_TURNS / 2);
}

static void move_often(void)
{
    for (int i = 0; i < N_MOVES; i++)
        stay_on(i % 2);
}

static void moves_are_told_by_their_distance_and_waits_lose_nothing_by_them(void **state)
{
    struct fixture *f = need_bpf(state);
    const struct latencies *latencies;
    uint64_t moves = 0;

    if (f->cpus->n < 2 || f->cpus->cpus[0].value != 0 || f->cpus->cpus[1].value != 1)
        skip();
    latencies = work_and_compare(f, move_often);
    for (enum latency_tally i = LATENCY_MIGRATIONS_SMT; i <= LATENCY_MIGRATIONS_NODE; i++)
        moves += latencies->tallies[i];
    assert_in_range(moves, N_MOVES - 1, N_MOVES + 20);
}

static void start_children(void)
{
    for (int i = 0; i < N_CHILDREN; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        (void)waitpid(child, NULL, 0);
    }
}

/* All that came to a CPU has left it: the worker is blocked, and its children have ended. */
static void a_thread_that_ends_has_its_last_slice_as_well(void **state)
{
    struct fixture *f = need_bpf(state);
    const struct worker worker = start_worker(start_children);
    struct latency_meter *meter = open_meter(f, &worker.pid, 1, INHERIT_CHILDREN);
    const struct latencies *latencies;
    uint64_t n_slices, n_waits;
    const struct told told = work_once(&worker);

    latencies = read_meter(f, meter);
    n_slices = count_of(latencies, LATENCY_ON_CPU);
    n_waits = count_of(latencies, LATENCY_RUN_QUEUE);
    /* a child that is preempted while it ends is its cgroup's from then on */
    assert_true(n_slices + N_CHILDREN / 5 >= told.n_arrivals + N_CHILDREN);
    assert_in_range(n_waits + N_CHILDREN / 5, n_slices, n_slices + 2 * (N_CHILDREN / 5));
    (void)latency_meter_free(meter);
    end_worker(&worker);
}

static void the_machine_has_what_its_processes_have(void **state)
{
    struct fixture *f = need_bpf(state);
    const struct scope machine = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1};
    const struct worker worker = start_worker(sleep_often);
    struct latency_meter *meter;
    const struct latencies *latencies;
    struct told told;

    assert_int_equal(latency_meter_new(f->bpf, &machine, &meter), 0);
    told = work_once(&worker);
    latencies = read_meter(f, meter);
    assert_true(count_of(latencies, LATENCY_RUN_QUEUE) >= told.n_arrivals);
    assert_true(latencies->tallies[LATENCY_SWITCHES_VOLUNTARY] >= told.voluntary);
    assert_true(count_above(latencies, LATENCY_OFF_CPU_INTERRUPTIBLE, -10) >= N_SLEEPS);
    (void)latency_meter_free(meter);
    end_worker(&worker);
}

static void one_that_is_adopted_tells_of_a_target_that_has_done_nothing(void **state)
{
    struct fixture *f = need_bpf(state);
    const struct worker worker = start_worker(sleep_often);
    struct latency_meter *meter = open_meter(f, &worker.pid, 1, INHERIT_THREADS), *adopted;

    (void)read_meter(f, meter);
    sample_clear(f->sample);
    latency_meter_read(meter, f->sample);
    assert_false(f->sample->has_latencies);
    adopted = latency_meter_adopt(&meter, f->bpf);
    assert_int_equal(count_of(read_meter(f, adopted), LATENCY_ON_CPU), 0);
    (void)latency_meter_free(adopted);
    end_worker(&worker);
}

static void one_that_is_handed_over_ends_and_the_other_one_begins(void **state)
{
    struct fixture *f = need_bpf(state);
    const struct scope machine = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1};
    const struct worker worker = start_worker(sleep_often);
    struct latency_meter *from, *to = open_meter(f, &worker.pid, 1, INHERIT_THREADS), *none = NULL;

    assert_int_equal(latency_meter_new(f->bpf, &machine, &from), 0);
    (void)work_once(&worker);
    latency_meter_hand_over(&from, none);
    assert_non_null(from);
    latency_meter_hand_over(&none, to);
    assert_null(none);
    assert_true(count_of(read_meter(f, to), LATENCY_ON_CPU) > N_SLEEPS / 2);
    (void)work_once(&worker);
    latency_meter_hand_over(&from, to);
    assert_null(from);
    mechanism_refresh(f->bpf);
    sample_clear(f->sample);
    latency_meter_read(to, f->sample);
    assert_false(f->sample->has_latencies);
    (void)latency_meter_free(to);
    end_worker(&worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleeps_are_blocks_as_long_as_they_were),
        cmocka_unit_test(turns_of_two_tasks_are_blocks_and_waits_of_each),
        cmocka_unit_test(moves_are_told_by_their_distance_and_waits_lose_nothing_by_them),
        cmocka_unit_test(a_thread_that_ends_has_its_last_slice_as_well),
        cmocka_unit_test(the_machine_has_what_its_processes_have),
        cmocka_unit_test(one_that_is_adopted_tells_of_a_target_that_has_done_nothing),
        cmocka_unit_test(one_that_is_handed_over_ends_and_the_other_one_begins),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
