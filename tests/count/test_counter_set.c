/* SPDX-License-Identifier: Apache-2.0 */
#include "count/counter_set_fixture.h"

#include "count/counter_cells.h"

static ssize_t fail_with_eio(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? -EIO : 1;
}

static ssize_t fail_with_end_of_file(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? 0 : 1;
}

static ssize_t fail_with_short_read(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? 24 : 1;
}

static void check_reopened(struct fixture *f, ssize_t (*failure)(struct fake_perf *, int))
{
    start(f);
    f->perf.refuse_read = failure;
    fake_run(&f->perf, 1, 1, 1000, 1000);
    fake_count(&f->perf, 1, 1, 7);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);       /* there is no rate of half the CPUs */
    assert_int_equal(f->sample->events[0].count, 7); /* no count is lost */
    assert_int_equal(f->mechanism->reopened, 0);
    read_after(f, NS_PER_SECOND);
    assert_true(counter_set_wants_open(f->set, f->now_ns));
    assert_int_equal(f->mechanism->reopened, 1);
    assert_int_equal(f->perf.n_open, 2);

    f->perf.refuse_read = NULL;
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    read_after(f, NS_PER_SECOND);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 3);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 3);
    assert_false(f->sample->groups[0].unknown);
}

static void read__the_first_reading_is_the_base_and_counts_nothing(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    fake_run(&f->perf, 1, 0, 500, 500);
    fake_count(&f->perf, 1, 0, 77);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].counted);
    assert_true(f->sample->groups[0].unknown);
    assert_int_equal(f->sample->events[0].count, 0);
}

static void begin__between_two_rounds_counts_as_a_part_of_the_whole_interval(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    counter_set_begin(f->set, 1 * NS_PER_SECOND, 3 * NS_PER_SECOND, f->sample);
    assert_int_equal(f->sample->events[0].count, 0);
    fake_run(&f->perf, 1, 0, 500, 500);
    fake_count(&f->perf, 1, 0, 60);
    counter_set_read(f->set, 4 * NS_PER_SECOND, f->sample);
    assert_int_equal(f->sample->events[0].count, 60);
    assert_true(f->sample->events[0].per_second == 20.0);
    assert_true(f->sample->groups[0].unknown); /* it has no rate of its own yet */
    fake_run(&f->perf, 1, 0, 500, 500);
    counter_set_read(f->set, 5 * NS_PER_SECOND, f->sample);
    assert_false(f->sample->groups[0].unknown);
}

static void read__deltas_of_all_cpus_are_added(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_run(&f->perf, 1, 1, 2000, 2000);
    fake_count(&f->perf, 1, 0, 10);
    fake_count(&f->perf, 1, 1, 20);
    fake_count(&f->perf, 2, 1, 5);
    read_after(f, 2 * NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 30);
    assert_int_equal(f->sample->events[1].count, 5);
    assert_true(f->sample->events[0].per_second == 15.0);
    assert_int_equal(f->sample->groups[0].enabled, 3000);
    assert_true(f->sample->groups[0].ran);
    assert_false(f->sample->groups[0].unknown);
}

static void read__tells_for_how_long_the_target_ran_on_each_cpu(void **state)
{
    struct fixture *f = *state;
    AUTO(cpu_list) struct cpu_list *wanted = NULL;
    uint64_t ran_ns[] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

    assert_int_equal(cpu_list_parse("0-2", &wanted), 0);
    counter_set_add_ran(f->set, wanted, ran_ns);
    assert_true(ran_ns[0] == UINT64_MAX); /* nothing is open */
    start(f);
    fake_run(&f->perf, 1, 1, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    fake_run(&f->perf, 1, 1, 500, 0); /* that nothing was counted does not matter */
    read_after(f, NS_PER_SECOND);
    counter_set_add_ran(f->set, wanted, ran_ns);
    assert_int_equal(ran_ns[0], 0);
    assert_int_equal(ran_ns[1], 1500);
    assert_true(ran_ns[2] == UINT64_MAX); /* the set has no such CPU */
    counter_set_add_ran(f->set, wanted, ran_ns);
    assert_int_equal(ran_ns[1], 3000);
}

static void read__a_target_that_did_not_run_counts_nothing_and_is_known(void **state)
{
    struct fixture *f = *state;

    start(f);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_false(f->sample->groups[0].ran);
    assert_false(f->sample->groups[0].unknown);
    assert_true(f->sample->groups[0].counted);
}

static void read__a_multiplexed_group_is_scaled(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 250);
    fake_count(&f->perf, 1, 0, 10);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 40);
    assert_true(f->sample->events[0].exact == 40.0);
    assert_int_equal(f->sample->groups[0].enabled, 1000);
    assert_int_equal(f->sample->groups[0].running, 250);
}

static void read__an_unknown_delta_is_carried_and_its_rate_is_over_both_intervals(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_int_equal(f->sample->groups[0].enabled, 1000); /* so that a coverage of 0 is seen */
    assert_int_equal(f->sample->groups[0].running, 0);

    fake_run(&f->perf, 1, 0, 1000, 500);
    fake_count(&f->perf, 1, 0, 100);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].unknown);
    assert_int_equal(f->sample->events[0].count, 400); /* 2000 enabled, 500 running */
    assert_true(f->sample->events[0].per_second == 200.0);
    assert_int_equal(f->sample->groups[0].enabled, 1000);
}

static void read__a_value_that_goes_backwards_makes_no_jump(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_find(&f->perf, 1, 0)->value = 1000;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 1000);

    fake_find(&f->perf, 1, 0)->value = 400;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_true(f->sample->groups[0].unknown);

    /* It happens twice in a row: the counter began anew, and this is its base. */
    fake_find(&f->perf, 1, 0)->value = 410;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);
    assert_true(f->sample->groups[0].unknown);

    fake_find(&f->perf, 1, 0)->value = 420;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
    assert_false(f->sample->groups[0].unknown);
}

static void read__a_value_that_falls_for_one_reading_loses_and_gains_nothing(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_find(&f->perf, 1, 0)->value = 1000;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    fake_find(&f->perf, 1, 0)->value = 400;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 0);

    fake_find(&f->perf, 1, 0)->value = 1030;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 30);
    assert_false(f->sample->groups[0].unknown);
}

static ssize_t fail_with_echild(struct fake_perf *perf, int fd)
{
    (void)perf;
    (void)fd;
    return -ECHILD;
}

static void read__a_group_that_cannot_be_added_up_now_waits_for_the_next_reading(void **state)
{
    struct fixture *f = *state;

    start(f);
    f->perf.refuse_read = fail_with_echild;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 20);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    assert_true(f->sample->groups[0].counted);
    assert_int_equal(f->mechanism->reopened, 0);
    assert_int_equal(f->perf.n_open, 4);

    f->perf.refuse_read = NULL;
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 20);
    assert_false(f->sample->groups[0].unknown);
}

static void read__a_value_that_passes_2_to_the_64_goes_on(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    fake_find(&f->perf, 1, 0)->value = UINT64_MAX - 4;
    read_after(f, NS_PER_SECOND);
    fake_find(&f->perf, 1, 0)->value = 5;
    fake_run(&f->perf, 1, 0, 1000, 1000);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 10);
    assert_false(f->sample->groups[0].unknown);
}

static void read__that_fails_once_loses_nothing(void **state)
{
    struct fixture *f = *state;

    start(f);
    for (int times = 0; times < 2; times++) { /* not in a row */
        f->perf.refuse_read = fail_with_eio;
        fake_run(&f->perf, 1, 0, 1000, 1000);
        fake_count(&f->perf, 1, 0, 7);
        read_after(f, NS_PER_SECOND);
        assert_true(f->sample->groups[0].unknown);
        assert_true(f->sample->groups[0].counted);

        f->perf.refuse_read = NULL;
        read_after(f, NS_PER_SECOND);
        assert_int_equal(f->sample->events[0].count, 7);
        assert_int_equal(f->mechanism->reopened, 0);
    }
}

static void read__eio_reopens_the_group(void **state)
{
    check_reopened(*state, fail_with_eio);
}

static void read__end_of_file_reopens_the_group(void **state)
{
    check_reopened(*state, fail_with_end_of_file);
}

static void read__a_short_reading_reopens_the_group(void **state)
{
    check_reopened(*state, fail_with_short_read);
}

static void read__a_sibling_that_has_left_the_group_reopens_it(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_close(&f->perf, (int)(fake_find(&f->perf, 2, 0) - f->perf.events));
    read_after(f, NS_PER_SECOND);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    assert_true(counter_set_is_incomplete(f->set));
}

static void read__a_group_that_waits_for_its_first_turn_has_not_counted_zero(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    fake_run(&f->perf, 1, 0, 1000, 0);
    fake_run(&f->perf, 1, 1, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].counted);
    fake_run(&f->perf, 1, 0, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].counted);
    read_after(f,
               NS_PER_SECOND); /* the target is idle, and the group has still never had the PMU */
    assert_false(f->sample->groups[0].counted);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 6);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].counted);
    assert_int_equal(f->sample->events[0].count,
                     12); /* 2000 enabled since the base, 1000 running */
}

static void read__an_idle_interval_does_not_make_a_carried_delta_unknown_again(void **state)
{
    struct fixture *f = *state;

    start(f);
    fake_run(&f->perf, 1, 0, 1000, 0);
    read_after(f, NS_PER_SECOND);
    assert_true(f->sample->groups[0].unknown);
    read_after(f, NS_PER_SECOND); /* the target did not run: the rate is 0, and the carry is kept */
    assert_false(f->sample->groups[0].unknown);
    assert_true(f->sample->groups[0].counted);
    assert_false(f->sample->groups[0].ran);
    fake_run(&f->perf, 1, 0, 1000, 500);
    fake_count(&f->perf, 1, 0, 10);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 40);
}

static void close__forgets_the_base_so_that_what_comes_is_counted_afresh(void **state)
{
    struct fixture *f = *state;

    start(f);
    counter_group_close(f->set, 0);
    assert_int_equal(f->perf.n_open, 0);
    start(f);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 4);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(read__the_first_reading_is_the_base_and_counts_nothing),
        TEST(begin__between_two_rounds_counts_as_a_part_of_the_whole_interval),
        TEST(read__deltas_of_all_cpus_are_added),
        TEST(read__tells_for_how_long_the_target_ran_on_each_cpu),
        TEST(read__a_target_that_did_not_run_counts_nothing_and_is_known),
        TEST(read__a_multiplexed_group_is_scaled),
        TEST(read__an_unknown_delta_is_carried_and_its_rate_is_over_both_intervals),
        TEST(read__a_value_that_goes_backwards_makes_no_jump),
        TEST(read__a_value_that_falls_for_one_reading_loses_and_gains_nothing),
        TEST(read__a_group_that_cannot_be_added_up_now_waits_for_the_next_reading),
        TEST(read__a_value_that_passes_2_to_the_64_goes_on),
        TEST(read__eio_reopens_the_group),
        TEST(read__end_of_file_reopens_the_group),
        TEST(read__a_short_reading_reopens_the_group),
        TEST(read__that_fails_once_loses_nothing),
        TEST(read__a_sibling_that_has_left_the_group_reopens_it),
        TEST(read__a_group_that_waits_for_its_first_turn_has_not_counted_zero),
        TEST(read__an_idle_interval_does_not_make_a_carried_delta_unknown_again),
        TEST(close__forgets_the_base_so_that_what_comes_is_counted_afresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
