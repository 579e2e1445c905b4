/* SPDX-License-Identifier: Apache-2.0 */
#include "check/series.h"

#include <errno.h>

#include "base/clock.h"
#include "resolve/decision_fixture.h"

#define EVERY_15_S (15 * NS_PER_SECOND)

static struct check_match taken[] = {
    {.what = "cgroups", .rule = 0, .list = {.n = 7, .n_targets = 7}},
    {.what = "processes", .rule = 0, .list = {.n = 9, .n_targets = 2}},
};

static struct check_series find(struct decision_fixture *f, const char *yaml, size_t targets_each)
{
    const struct check_series_request request = {targets_each, EVERY_15_S};
    const struct check_output output = {.matches = taken, .n_matches = ARRAY_SIZE(taken)};
    struct check_series series;

    decide(f, yaml);
    assert_int_equal(check_series_find(&(struct check_result){.output = &output,
                                                              .config = f->config,
                                                              .resolution = f->resolution,
                                                              .sysfs_fd = f->sysfs.fd},
                                       &request, &series),
                     0);
    return series;
}

static void assert_row(const struct check_series *series, size_t i, const char *what, size_t rule,
                       size_t n_targets, const struct plan *plan, size_t n_info)
{
    assert_true(i < series->n_rows);
    assert_string_equal(series->rows[i].what, what);
    assert_int_equal(series->rows[i].rule, rule);
    assert_int_equal(series->rows[i].n_targets, n_targets);
    assert_int_equal(series->rows[i].each, plan_row_series(plan) + n_info);
}

static void find__has_a_row_for_the_machine_and_for_each_rule(void **state)
{
    struct decision_fixture *f = *state;
    struct check_series series = find(f, CORE "targets:\n" SYSTEM CGROUPS PROCESSES, SIZE_MAX);
    const struct target_class *classes = f->resolution->classes;

    assert_int_equal(series.n_rows, 4);
    assert_row(&series, 0, "machine", 0, 1, classes[CLASS_MACHINE].plan, 0);
    assert_row(&series, 1, "cgroups", 1, 7, classes[CLASS_CGROUP].plan, 1);
    assert_row(&series, 2, "cgroups", 2, 0, classes[CLASS_CGROUP + 1].plan, 1);
    assert_row(&series, 3, "processes", 1, 2, classes[f->resolution->first_process].plan, 0);
    assert_int_equal(series.n_all, series.n_own + series.rows[0].each + 7 * series.rows[1].each +
                                       2 * series.rows[3].each);
    check_series_done(&series);
}

static void find__by_cpu_has_a_row_for_the_cpus(void **state)
{
    struct decision_fixture *f = *state;
    struct check_series series =
        find(f, CORE "targets: {system: {groups: [core], by: cpu}}\n", SIZE_MAX);

    assert_int_equal(series.n_rows, 2);
    assert_row(&series, 1, "cpus", 0, 1, f->resolution->classes[CLASS_CPU].plan, 1);
    check_series_done(&series);
}

static void find__can_suppose_that_each_rule_takes_as_many(void **state)
{
    struct decision_fixture *f = *state;
    struct check_series series = find(f, CORE "targets:\n" SYSTEM CGROUPS PROCESSES, 100);

    assert_int_equal(series.rows[0].n_targets, 1);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(series.rows[i].n_targets, 100);
    check_series_done(&series);
}

static void find__has_no_more_of_targets_than_the_limit(void **state)
{
    struct check_series series =
        find(*state, "limits: {series: 50}\n" CORE "targets:\n" CGROUPS, 100);

    assert_int_equal(series.n_all, series.n_own + 50);
    check_series_done(&series);
}

static void samples_and_bytes__are_those_of_the_interval(void **state)
{
    const struct check_series series = {.n_all = 3000};
    const struct check_series_request request = {.scrape_interval_ns = EVERY_15_S};

    (void)state;
    assert_true(check_series_samples_per_second(&series, &request) == 200);
    assert_true(check_series_bytes_a_day(&series, &request) ==
                200 * 86400 * CHECK_BYTES_PER_SAMPLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DECISION_TEST(find__has_a_row_for_the_machine_and_for_each_rule),
        DECISION_TEST(find__by_cpu_has_a_row_for_the_cpus),
        DECISION_TEST(find__can_suppose_that_each_rule_takes_as_many),
        DECISION_TEST(find__has_no_more_of_targets_than_the_limit),
        cmocka_unit_test(samples_and_bytes__are_those_of_the_interval),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
