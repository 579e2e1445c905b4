/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/top_fixture.h"

static int set_up(void **state)
{
    static struct top_rows rows;

    rows = (struct top_rows){0};
    *state = &rows;
    return 0;
}

static int tear_down(void **state)
{
    top_rows_done(*state);
    return 0;
}

/* Takes a page with one target over, at the time `now` of the wall clock. */
static int update(struct top_rows *rows, double taken, struct top_reading reading, double now)
{
    struct top_page page = fixture_page(taken, &reading, 1);

    return top_rows_update(rows, &page, now);
}

static void the_first_page_is_the_base_and_the_second_has_rates(void **state)
{
    struct top_rows *rows = *state;
    const struct top_row *row;

    assert_int_equal(TOP_BASE, update(rows, 10, fixture_reading(TOP_CGROUP, "/a", 5, 100), 1e6));
    row = fixture_find(rows, TOP_CGROUP, "/a");
    assert_non_null(row);
    assert_true(isnan(row->values[TOP_COLUMN_CPUS]));
    assert_int_equal(TOP_RATES, update(rows, 14, fixture_reading(TOP_CGROUP, "/a", 7, 500), 1e6));
    assert_near(rows->seconds, 4);
    assert_near(row->growth[TOP_CPU_SECONDS], 2);
    assert_near(row->values[TOP_COLUMN_CPUS], 0.5);
    assert_near(row->values[TOP_COLUMN_SWITCHES], 100);
    assert_true(isnan(row->values[TOP_COLUMN_IPC]));
}

static void a_page_of_the_same_cycle_changes_nothing(void **state)
{
    struct top_rows *rows = *state;

    (void)update(rows, 10, fixture_reading(TOP_CGROUP, "/a", 5, 100), 1e6);
    (void)update(rows, 12, fixture_reading(TOP_CGROUP, "/a", 7, 100), 1e6);
    assert_int_equal(TOP_SAME, update(rows, 12, fixture_reading(TOP_CGROUP, "/a", 7, 100), 1e6));
    assert_near(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_CPUS], 1);
    assert_int_equal(2, rows->pages);
}

static void the_cpu_time_of_the_machine_may_grow_on_some_pages_only(void **state)
{
    struct top_rows *rows = *state;

    (void)update(rows, 10, fixture_reading(TOP_MACHINE, "", 5, 100), 1e6);
    (void)update(rows, 10.3, fixture_reading(TOP_MACHINE, "", 5, 130), 1e6);
    assert_true(isnan(rows->machine->values[TOP_COLUMN_CPUS]));
    assert_near(rows->machine->values[TOP_COLUMN_SWITCHES], 100);
    (void)update(rows, 10.6, fixture_reading(TOP_MACHINE, "", 5.9, 160), 1e6);
    assert_near(rows->machine->values[TOP_COLUMN_CPUS], 1.5);
    (void)update(rows, 10.9, fixture_reading(TOP_MACHINE, "", 5.9, 190), 1e6);
    assert_near(rows->machine->values[TOP_COLUMN_CPUS], 1.5);
    (void)update(rows, 11.2, fixture_reading(TOP_MACHINE, "", 6.2, 220), 1e6);
    assert_near(rows->machine->values[TOP_COLUMN_CPUS], 0.5);
    (void)update(rows, 12.2, fixture_reading(TOP_MACHINE, "", 6.2, 320), 1e6);
    assert_near(rows->machine->values[TOP_COLUMN_CPUS], 0); /* Nothing ran. */
}

static void ratios_are_made_of_growth_and_not_of_totals(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_CGROUP, "/a", 0, 0);

    reading.totals[TOP_CYCLES] = 1000;
    reading.totals[TOP_INSTRUCTIONS] = 1000;
    (void)update(rows, 1, reading, 1e6);
    reading.totals[TOP_CYCLES] = 1100;
    reading.totals[TOP_INSTRUCTIONS] = 1250;
    (void)update(rows, 2, reading, 1e6);
    assert_near(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_IPC], 2.5);
    (void)update(rows, 3, reading, 1e6); /* It did not run: there is nothing to divide by. */
    assert_true(isnan(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_IPC]));
}

static void a_counter_that_fell_has_no_rate_and_goes_on_from_there(void **state)
{
    struct top_rows *rows = *state;

    (void)update(rows, 1, fixture_reading(TOP_CGROUP, "/a", 50, 1000), 1e6);
    (void)update(rows, 2, fixture_reading(TOP_CGROUP, "/a", 1, 1200), 1e6);
    assert_true(isnan(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_CPUS]));
    assert_near(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_SWITCHES], 200);
    (void)update(rows, 3, fixture_reading(TOP_CGROUP, "/a", 1.5, 1200), 1e6);
    assert_near(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_CPUS], 0.5);
}

static void another_exporter_is_a_new_base_even_if_its_counters_are_larger(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_CGROUP, "/a", 50, 1000);
    struct top_page page;

    (void)update(rows, 1, fixture_reading(TOP_CGROUP, "/a", 1, 10), 1e6);
    (void)update(rows, 2, fixture_reading(TOP_CGROUP, "/a", 2, 20), 1e6);
    page = fixture_page(3, &reading, 1);
    page.process_started = 2000;
    assert_int_equal(TOP_BASE, top_rows_update(rows, &page, 1e6));
    assert_true(isnan(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_CPUS]));
    reading.totals[TOP_CPU_SECONDS] = 51;
    page.taken = page.sequence = 5;
    assert_int_equal(TOP_RATES, top_rows_update(rows, &page, 1e6));
    assert_near(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_CPUS], 0.5);
}

static void what_was_born_since_the_last_page_counts_from_zero(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_PROCESS, "make", 3, 30);

    (void)update(rows, 1, fixture_reading(TOP_CGROUP, "/a", 1, 10), 5000);
    reading.started = 5000.5;
    (void)update(rows, 3, reading, 5002);
    assert_near(fixture_find(rows, TOP_PROCESS, "make")->values[TOP_COLUMN_CPUS], 1.5);
}

static void what_was_found_later_than_it_was_born_has_no_rate_yet(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_PROCESS, "make", 3, 30);

    (void)update(rows, 1, fixture_reading(TOP_CGROUP, "/a", 1, 10), 5000);
    reading.started = 4999;
    (void)update(rows, 3, reading, 5002);
    assert_true(isnan(fixture_find(rows, TOP_PROCESS, "make")->values[TOP_COLUMN_CPUS]));
}

static void a_cgroup_that_was_made_again_counts_from_zero(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_CGROUP, "/a", 3, 30);

    reading.started = 4000;
    (void)update(rows, 1, reading, 5000);
    reading.started = 5001;
    reading.totals[TOP_CPU_SECONDS] = 4; /* more than before, but not of the same birth */
    (void)update(rows, 3, reading, 5002);
    assert_near(fixture_find(rows, TOP_CGROUP, "/a")->values[TOP_COLUMN_CPUS], 2);
}

static void a_group_whose_oldest_process_ended_goes_on(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_PROCESS, "make", 3, 30);

    reading.started = 4000;
    (void)update(rows, 1, reading, 5000);
    reading.started = 5001;
    reading.totals[TOP_CPU_SECONDS] = 4;
    (void)update(rows, 3, reading, 5002);
    assert_near(fixture_find(rows, TOP_PROCESS, "make")->values[TOP_COLUMN_CPUS], 0.5);
}

static void a_target_that_is_on_the_page_no_more_is_forgotten(void **state)
{
    struct top_rows *rows = *state;

    (void)update(rows, 1, fixture_reading(TOP_MACHINE, "", 1, 10), 1e6);
    assert_non_null(rows->machine);
    (void)update(rows, 2, fixture_reading(TOP_CGROUP, "/a", 1, 10), 1e6);
    assert_null(rows->machine);
    assert_int_equal(1, HASH_COUNT(rows->hash));
    (void)update(rows, 3, fixture_reading(TOP_CGROUP, "/b", 1, 10), 1e6);
    assert_null(fixture_find(rows, TOP_CGROUP, "/a"));
    assert_int_equal(1, HASH_COUNT(rows->hash));
}

static void a_cgroup_and_a_process_of_one_name_are_two(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading readings[] = {fixture_reading(TOP_CGROUP, "x", 1, 1),
                                     fixture_reading(TOP_PROCESS, "x", 2, 2)};
    struct top_page page = fixture_page(1, readings, 2);

    (void)top_rows_update(rows, &page, 1e6);
    assert_int_equal(2, HASH_COUNT(rows->hash));
    assert_near(fixture_find(rows, TOP_PROCESS, "x")->totals[TOP_SWITCHES], 2);
}

static void the_history_has_the_last_values_and_a_bounded_length(void **state)
{
    struct top_rows *rows = *state;
    const struct top_row *row;
    double total = 0;

    for (unsigned i = 0; i <= 3 * TOP_HISTORY; i++) {
        total += i;
        (void)update(rows, i + 1, fixture_reading(TOP_CGROUP, "/a", total, 0), 1e6);
    }
    row = fixture_find(rows, TOP_CGROUP, "/a");
    for (unsigned ago = 0; ago < TOP_HISTORY; ago++)
        assert_near(top_row_past(rows, row, TOP_COLUMN_CPUS, ago), 3 * TOP_HISTORY - ago);
    assert_true(isnan(top_row_past(rows, row, TOP_COLUMN_CPUS, TOP_HISTORY)));
}

static void the_history_does_not_go_back_beyond_the_birth(void **state)
{
    struct top_rows *rows = *state;

    for (unsigned i = 1; i <= 2 * TOP_HISTORY; i++)
        (void)update(rows, i, fixture_reading(TOP_CGROUP, "/a", i, 0), 1e6);
    (void)update(rows, 100, fixture_reading(TOP_CGROUP, "/b", 1, 0), 1e6);
    (void)update(rows, 101, fixture_reading(TOP_CGROUP, "/b", 2, 0), 1e6);
    assert_near(top_row_past(rows, fixture_find(rows, TOP_CGROUP, "/b"), TOP_COLUMN_CPUS, 0), 1);
    for (unsigned ago = 1; ago < TOP_HISTORY; ago++)
        assert_true(
            isnan(top_row_past(rows, fixture_find(rows, TOP_CGROUP, "/b"), TOP_COLUMN_CPUS, ago)));
}

static void a_column_is_there_if_some_target_has_its_counters(void **state)
{
    struct top_rows *rows = *state;
    struct top_reading reading = fixture_reading(TOP_CGROUP, "/a", 1, NAN);

    reading.totals[TOP_INSTRUCTIONS] = 1;
    (void)update(rows, 1, reading, 1e6);
    assert_true(top_rows_have(rows, TOP_COLUMN_CPUS));
    assert_false(top_rows_have(rows, TOP_COLUMN_SWITCHES));
    assert_false(top_rows_have(rows, TOP_COLUMN_IPC)); /* Cycles are missing. */
    assert_false(top_rows_have(rows, TOP_COLUMN_NAME));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(the_first_page_is_the_base_and_the_second_has_rates),
        TEST(a_page_of_the_same_cycle_changes_nothing),
        TEST(the_cpu_time_of_the_machine_may_grow_on_some_pages_only),
        TEST(ratios_are_made_of_growth_and_not_of_totals),
        TEST(a_counter_that_fell_has_no_rate_and_goes_on_from_there),
        TEST(another_exporter_is_a_new_base_even_if_its_counters_are_larger),
        TEST(what_was_born_since_the_last_page_counts_from_zero),
        TEST(what_was_found_later_than_it_was_born_has_no_rate_yet),
        TEST(a_cgroup_that_was_made_again_counts_from_zero),
        TEST(a_group_whose_oldest_process_ended_goes_on),
        TEST(a_target_that_is_on_the_page_no_more_is_forgotten),
        TEST(a_cgroup_and_a_process_of_one_name_are_two),
        TEST(the_history_has_the_last_values_and_a_bounded_length),
        TEST(the_history_does_not_go_back_beyond_the_birth),
        TEST(a_column_is_there_if_some_target_has_its_counters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
