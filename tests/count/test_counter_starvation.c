/* SPDX-License-Identifier: Apache-2.0 */
#include "count/counter_set_fixture.h"

/* Longer than a group may wait for its turn, and longer than it stays closed. */
#define LONG   (6 * NS_PER_SECOND)
#define MINUTE (61 * NS_PER_SECOND)

static int set_up_hardware(void **state)
{
    struct fixture *f;
    int r = set_up(state);

    f = *state;
    f->events[0].takes_counter = f->events[1].takes_counter = true;
    return r;
}

/* Pretends that another group of ours that takes counters has run until now. */
static void let_others_run(struct fixture *f)
{
    f->mechanism->cpus_ran_ns = f->now_ns;
}

/* Lets the target run on CPU 0 while its group waits for the PMU. */
static void wait_in_vain(struct fixture *f, uint64_t ns)
{
    for (uint64_t i = 0; i < ns; i += NS_PER_SECOND) {
        if (fake_find(&f->perf, 1, 0))
            fake_run(&f->perf, 1, 0, NS_PER_SECOND, 0);
        read_after(f, NS_PER_SECOND);
    }
}

static void starvation__a_group_that_never_runs_beside_others_is_closed(void **state)
{
    struct fixture *f = *state;

    start(f);
    wait_in_vain(f, LONG - NS_PER_SECOND);
    assert_int_equal(f->perf.n_open, 4);
    let_others_run(f);
    wait_in_vain(f, NS_PER_SECOND);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NEVER_SCHEDULED);
    assert_false(counter_set_wants_open(f->set, f->now_ns));
    assert_false(counter_set_is_incomplete(f->set));
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].starved);
}

static void starvation__where_none_of_ours_runs_the_pmu_is_busy(void **state)
{
    struct fixture *f = *state;

    start(f);
    let_others_run(f);
    wait_in_vain(f, LONG);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_PMU_BUSY);
}

static void starvation__it_is_tried_again_and_counts(void **state)
{
    struct fixture *f = *state;

    start(f);
    wait_in_vain(f, LONG);
    read_after(f, MINUTE);
    assert_true(counter_set_wants_open(f->set, f->now_ns));
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(counter_set_absence(f->set),
                     ABSENCE_PMU_BUSY); /* it stays so until the group has a turn */
    read_after(f, NS_PER_SECOND);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 7);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 7);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
    assert_false(f->sample->groups[0].starved);
}

static void starvation__its_own_fault_doubles_the_wait(void **state)
{
    struct fixture *f = *state;

    start(f);
    for (int i = 0; i < 2; i++) {
        wait_in_vain(f, LONG - NS_PER_SECOND);
        let_others_run(f);
        wait_in_vain(f, NS_PER_SECOND);
        read_after(f, MINUTE);
        assert_int_equal(counter_set_wants_open(f->set, f->now_ns), i == 0);
        if (i == 0)
            start(f);
    }
    read_after(f, MINUTE);
    assert_true(counter_set_wants_open(f->set, f->now_ns));
}

static void starvation__an_idle_target_is_not_starved(void **state)
{
    struct fixture *f = *state;

    start(f);
    for (int i = 0; i < 100; i++)
        read_after(f, NS_PER_SECOND);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
}

static void starvation__a_turn_on_another_cpu_is_enough(void **state)
{
    struct fixture *f = *state;

    start(f);
    for (int i = 0; i < 20; i++) {
        fake_run(&f->perf, 1, 1, 1000, 100);
        wait_in_vain(f, NS_PER_SECOND);
    }
    assert_int_equal(f->perf.n_open, 4);
}

static void starvation__on_one_of_two_cpus_is_reported(void **state)
{
    struct fixture *f = *state;

    start(f);
    for (int i = 0; i < 7; i++) {
        fake_run(&f->perf, 1, 1, 1000, 100);
        wait_in_vain(f, NS_PER_SECOND);
    }
    assert_int_equal(counter_set_absence(f->set), ABSENCE_PMU_BUSY);
    assert_int_equal(f->perf.n_open, 4); /* the other group goes on */
    read_after(f, NS_PER_SECOND);        /* idle on both CPUs: nothing changes */
    assert_int_equal(counter_set_absence(f->set), ABSENCE_PMU_BUSY);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
    assert_int_equal(f->perf.n_open, 4);
}

/* A neighbour may have held the counters: in any case it is tried again within some minutes. */
static void starvation__is_tried_again_within_minutes_however_often_it_was(void **state)
{
    struct fixture *f = *state;

    start(f);
    for (int i = 0; i < 8; i++) {
        wait_in_vain(f, LONG - NS_PER_SECOND);
        let_others_run(f);
        wait_in_vain(f, NS_PER_SECOND);
        assert_int_equal(counter_set_absence(f->set), ABSENCE_NEVER_SCHEDULED);
        for (int minutes = 0; !counter_set_wants_open(f->set, f->now_ns); minutes++) {
            assert_true(minutes < 5);
            read_after(f, MINUTE);
        }
        start(f);
    }
}

static void starvation__many_cpus_do_not_make_the_wait_short(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 100 * NS_PER_SECOND, 0);
    read_after(f, NS_PER_SECOND);
    fake_run(&f->perf, 1, 0, 100 * NS_PER_SECOND, 0);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->perf.n_open, 4);
}

static void starvation__a_successor_waits_on(void **state)
{
    struct fixture *f = *state;
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus};
    struct counter_set *before = f->set;

    start(f);
    wait_in_vain(f, LONG);
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    counter_set_adopt(f->set, before, NULL);
    (void)counter_set_free(before);
    assert_false(counter_set_wants_open(f->set, f->now_ns));
    assert_int_equal(counter_set_absence(f->set), ABSENCE_PMU_BUSY);
    read_after(f, MINUTE);
    assert_true(counter_set_wants_open(f->set, f->now_ns));
}

static void starvation__threads_that_are_opened_afresh_leave_it_closed(void **state)
{
    struct fixture *f = *state;
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus};
    struct counter_set *before = f->set;

    start(f);
    wait_in_vain(f, LONG);
    assert_true(counter_set_counts_all(before, f->groups));
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    counter_set_continue_waiting(f->set, before);
    (void)counter_set_free(before);
    assert_false(counter_set_is_incomplete(f->set));
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].starved);
    read_after(f, MINUTE);
    assert_true(counter_set_wants_open(f->set, f->now_ns));
}

static void starvation__software_does_not_wait_for_the_pmu(void **state)
{
    struct fixture *f = *state;

    f->events[0].takes_counter = f->events[1].takes_counter = false;
    start(f);
    wait_in_vain(f, 2 * LONG);
    assert_int_equal(f->perf.n_open, 4);
}

#define STARVATION_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_hardware, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STARVATION_TEST(starvation__a_group_that_never_runs_beside_others_is_closed),
        STARVATION_TEST(starvation__where_none_of_ours_runs_the_pmu_is_busy),
        STARVATION_TEST(starvation__it_is_tried_again_and_counts),
        STARVATION_TEST(starvation__its_own_fault_doubles_the_wait),
        STARVATION_TEST(starvation__an_idle_target_is_not_starved),
        STARVATION_TEST(starvation__a_turn_on_another_cpu_is_enough),
        STARVATION_TEST(starvation__on_one_of_two_cpus_is_reported),
        STARVATION_TEST(starvation__is_tried_again_within_minutes_however_often_it_was),
        STARVATION_TEST(starvation__many_cpus_do_not_make_the_wait_short),
        STARVATION_TEST(starvation__a_successor_waits_on),
        STARVATION_TEST(starvation__threads_that_are_opened_afresh_leave_it_closed),
        STARVATION_TEST(starvation__software_does_not_wait_for_the_pmu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
