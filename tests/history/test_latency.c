/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of latency in the past of a target. */
#include "history/store_fixture.h"

#define OFF_CPU   "pmu_cgroup_off_cpu_seconds"
#define N_BUCKETS 20 /* of each state */

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(fabs(value - expected) <= tolerance);
}

static int open_store(void **state)
{
    struct store_fixture *f = malloc(sizeof(*f));

    fixture_open(f, NULL);
    *state = f;
    return 0;
}

static int close_store(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

/* From now on a second has so many blocks in the third bucket, which take a thousandth each. */
static void begin_blocks(struct store_fixture *f, uint64_t n)
{
    f->latencies = (struct latencies){.tallies[LATENCY_SWITCHES_VOLUNTARY] = n + 1,
                                      .sums_ns[LATENCY_OFF_CPU_INTERRUPTIBLE] = n * 1000000};
    f->latencies.buckets[latency_layouts[LATENCY_OFF_CPU_INTERRUPTIBLE].first + 2] = n;
}

static struct history_answer *ask(struct store_fixture *f, const char *column, uint64_t step_s)
{
    const struct history_query query = {.target = TARGET,
                                        .start_ns = BEGIN_S * NS_PER_SECOND,
                                        .end_ns = (BEGIN_S + 1000) * NS_PER_SECOND,
                                        .step_ns = step_s * NS_PER_SECOND,
                                        .columns = &column,
                                        .n_columns = 1};
    struct history_answer *answer = NULL;

    assert_int_equal(history_store_query(&f->store, &query, &answer), 0);
    return answer;
}

static void buckets__are_told_in_the_order_of_their_limits(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    begin_blocks(f, 5);
    fixture_count_for(f, 60);
    answer = ask(f, OFF_CPU, 10);
    assert_int_equal(answer->n_series, 2 * N_BUCKETS);
    for (size_t i = 0; i < N_BUCKETS; i++) {
        assert_string_equal(answer->series[i].name, OFF_CPU);
        assert_string_equal(answer->series[i].labels[0].name, "le");
        assert_string_equal(answer->series[i].labels[1].value, "interruptible");
        for (size_t t = 1; t < answer->n_times; t++)
            assert_near(answer->series[i].values[t], i == 2 ? 5 : 0, 1e-9);
    }
    assert_string_equal(answer->series[0].labels[0].value, "1.52587890625e-05");
    assert_string_equal(answer->series[1].labels[0].value, "3.0517578125e-05");
    assert_string_equal(answer->series[N_BUCKETS - 1].labels[0].value, "+Inf");
    assert_in_range(answer->n_times, 5, 7);
}

static void state__that_was_never_seen_is_unknown(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    begin_blocks(f, 5);
    fixture_count_for(f, 60);
    answer = ask(f, OFF_CPU, 10);
    for (size_t i = N_BUCKETS; i < answer->n_series; i++) {
        assert_string_equal(answer->series[i].labels[1].value, "uninterruptible");
        for (size_t t = 0; t < answer->n_times; t++)
            assert_true(isnan(answer->series[i].values[t]));
    }
}

static void sums__and_tallies_are_told_as_rates(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *sums = NULL, *switches = NULL;

    begin_blocks(f, 5);
    fixture_count_for(f, 60);
    sums = ask(f, OFF_CPU "_sum", 10);
    assert_near(fixture_values(sums, OFF_CPU "_sum")[2], 0.005, 1e-9);
    switches = ask(f, "pmu_cgroup_switches_per_second", 1);
    assert_int_equal(switches->n_series, 2);
    assert_string_equal(switches->series[0].labels[0].value, "voluntary");
    assert_near(switches->series[0].values[3], 6, 1e-9);
    assert_near(switches->series[1].values[3], 0, 1e-9);
}

static void distributions__are_in_no_answer_that_does_not_ask_for_them(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_targets) struct history_targets *targets = NULL;
    AUTO(history_answer) struct history_answer *answer = NULL;

    begin_blocks(f, 5);
    fixture_count_for(f, 60);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 100, 1);
    assert_int_equal(answer->n_times, 60);
    for (size_t i = 0; i < answer->n_series; i++)
        assert_null(strstr(answer->series[i].name, "_cpu_seconds"));
    assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, 1);
    for (size_t i = 0; i < targets->targets[0].n_columns; i++)
        assert_null(strstr(targets->targets[0].columns[i], "_cpu_seconds"));
}

static void target__of_which_nothing_was_observed_has_no_distributions(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL, *switches = NULL;

    fixture_count_for(f, 60);
    answer = ask(f, OFF_CPU, 10);
    assert_int_equal(answer->n_series, 0);
    switches = ask(f, "pmu_cgroup_switches_per_second", 1);
    assert_true(isnan(switches->series[0].values[3]));
}

static void target__that_was_born_again_begins_anew(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    const double *values;

    begin_blocks(f, 100);
    fixture_count_for(f, 30);
    fixture_make_account(f, 77);
    begin_blocks(f, 3);
    fixture_count_for(f, 30);
    answer = ask(f, OFF_CPU, 10);
    values = answer->series[2].values;
    assert_near(values[1], 100, 1e-9);
    assert_near(values[answer->n_times - 1], 3, 1e-9);
    for (size_t i = 0; i < answer->n_times; i++)
        assert_true(isnan(values[i]) || (values[i] > 2.9 && values[i] < 100.1));
}

static void distributions__are_kept_at_each_resolution(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    begin_blocks(f, 5);
    fixture_count_for(f, 3 * 3600);
    answer = ask(f, OFF_CPU, 60);
    assert_in_range(answer->n_times, 16, 18);
    assert_near(answer->series[2].values[5], 5, 1e-9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(buckets__are_told_in_the_order_of_their_limits),
        TEST(state__that_was_never_seen_is_unknown),
        TEST(sums__and_tallies_are_told_as_rates),
        TEST(distributions__are_in_no_answer_that_does_not_ask_for_them),
        TEST(target__of_which_nothing_was_observed_has_no_distributions),
        TEST(target__that_was_born_again_begins_anew),
        TEST(distributions__are_kept_at_each_resolution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
