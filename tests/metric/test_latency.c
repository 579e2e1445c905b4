/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of latency, from what a plan shows of them to the numbers of a row. */
#include "support/check.h"

#include <string.h>

#include "metric/account.h"
#include "metric/catalogue.h"
#include "metric/metric_fixture.h"

#define ALL_NUMBERS (LATENCY_BUCKETS + LATENCY_DISTRIBUTION_COUNT_)

/* A plan of no events with these distributions. */
static struct plan *plan_of(unsigned latency)
{
    const struct plan_spec spec = {.prefix = "pmu_cgroup_", .target = "it", .latency = latency};
    AUTO(event_groups) struct event_groups *groups = NULL;
    struct plan *plan = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, NULL, 0, &groups), 0);
    assert_int_equal(plan_new(&spec, groups, &plan), 0);
    return plan;
}

static const struct plan_histogram *find(const struct plan *plan,
                                         enum latency_distribution distribution)
{
    for (size_t i = 0; i < plan->n_histograms; i++)
        if (plan->histograms[i].distribution == distribution)
            return &plan->histograms[i];
    fail();
    return NULL;
}

static const union number *numbers_of(const struct account *account,
                                      enum latency_distribution distribution)
{
    return &account->row[find(account->plan, distribution)->first];
}

static const union number *tally_of(const struct account *account, enum latency_tally tally)
{
    for (size_t i = 0; i < account->plan->n_columns; i++)
        if (account->plan->columns[i].kind == COLUMN_LATENCY_TALLY &&
            account->plan->columns[i].index == tally)
            return &account->row[i];
    fail();
    return NULL;
}

static void plan__without_latency__has_none_of_its_numbers(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(0);

    (void)state;
    assert_int_equal(plan->n_histograms, 0);
    assert_int_equal(plan->n_numbers, 0);
}

static void plan__shows_tallies_as_columns_and_histograms_beside_them(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(LATENCY_SCHEDULER);

    (void)state;
    assert_int_equal(plan->n_columns, LATENCY_TALLY_COUNT_);
    assert_string_equal(plan->columns[0].name, "pmu_cgroup_switches_total");
    assert_string_equal(column_label(&plan->columns[0], "kind"), "voluntary");
    assert_string_equal(column_label(&plan->columns[5], "distance"), "node");
    assert_int_equal(plan->n_numbers, plan->n_described + ALL_NUMBERS);
    assert_int_equal(plan->n_histograms, LATENCY_DISTRIBUTION_COUNT_);
    assert_string_equal(find(plan, LATENCY_RUN_QUEUE)->name,
                        "pmu_cgroup_run_queue_latency_seconds");
    assert_null(find(plan, LATENCY_RUN_QUEUE)->label.name);
    assert_string_equal(find(plan, LATENCY_OFF_CPU_UNINTERRUPTIBLE)->label.value,
                        "uninterruptible");
}

static void plan__has_only_what_is_wanted(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(LATENCY_KIND_OFF_CPU | LATENCY_KIND_SWITCHES);

    (void)state;
    assert_int_equal(plan->n_columns, 2);
    assert_int_equal(plan->n_histograms, 2);
    assert_int_equal(plan->histograms[0].first, 2);
    assert_int_equal(plan->histograms[1].first,
                     2 + latency_layouts[LATENCY_OFF_CPU_INTERRUPTIBLE].n + 1);
}

static void expect_limit(enum latency_distribution distribution, size_t shown, const char *expected)
{
    const struct latency_layout *layout = &latency_layouts[distribution];
    AUTO_TEXT struct text text = {0};

    plan_append_limit(&text, layout, plan_shown_bucket(layout, shown));
    text_append_char(&text, '\0');
    assert_string_equal(text.data, expected);
}

static void limits__are_powers_of_four_as_openmetrics_writes_them(void **state)
{
    static const char *const waits[] = {"9.5367431640625e-07",
                                        "3.814697265625e-06",
                                        "1.52587890625e-05",
                                        "6.103515625e-05",
                                        "0.000244140625",
                                        "0.0009765625",
                                        "0.00390625",
                                        "0.015625",
                                        "0.0625",
                                        "0.25",
                                        "1.0",
                                        "4.0",
                                        "+Inf"};

    (void)state;
    assert_int_equal(plan_shown_buckets(&latency_layouts[LATENCY_RUN_QUEUE]), ARRAY_SIZE(waits));
    for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
        expect_limit(LATENCY_RUN_QUEUE, i, waits[i]);
    assert_int_equal(plan_shown_buckets(&latency_layouts[LATENCY_ON_CPU]), 11);
    expect_limit(LATENCY_ON_CPU, 0, "3.814697265625e-06");
    expect_limit(LATENCY_ON_CPU, 9, "1.0");
    expect_limit(LATENCY_ON_CPU, 10, "+Inf");
    expect_limit(LATENCY_OFF_CPU_INTERRUPTIBLE, 9, "4.0");
}

static void row_bytes__count_each_bucket_the_sum_and_the_count(void **state)
{
    AUTO(plan) struct plan *none = plan_of(0), *waits = plan_of(LATENCY_KIND_RUN_QUEUE);
    AUTO(plan) struct plan *all = plan_of(LATENCY_SCHEDULER);

    (void)state;
    assert_int_equal(plan_row_series(none), 0);
    assert_int_equal(plan_row_series(waits), 15);
    assert_int_equal(plan_row_series(all), 15 + 13 + 2 * 13 + 6);
    assert_true(plan_row_bytes(waits, 100) > 15 * (100 + strlen("pmu_cgroup_run_queue_latency_")));
    assert_true(plan_head_bytes(waits) > strlen(waits->histograms[0].help));
}

static void distribution__is_absent_before_the_first_and_whole_from_then_on(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(LATENCY_SCHEDULER);
    AUTO(account) struct account *account = fixture_account(plan, "/a", 1);
    struct latencies delta = {.sums_ns[LATENCY_ON_CPU] = 5000};
    const union number *slices = numbers_of(account, LATENCY_ON_CPU);
    const size_t n = latency_layouts[LATENCY_ON_CPU].n;

    (void)state;
    assert_true(tally_of(account, LATENCY_SWITCHES_VOLUNTARY)->count == NUMBER_ABSENT_COUNT);
    delta.buckets[latency_layouts[LATENCY_ON_CPU].first + 1] = 1;
    account_add_latencies(account, &delta);
    account_add_latencies(account, &delta);
    assert_int_equal(slices[0].count, 0);
    assert_int_equal(slices[1].count, 2);
    assert_int_equal(slices[n - 1].count, 0);
    assert_int_equal(slices[n].count, 10000);
    assert_true(numbers_of(account, LATENCY_RUN_QUEUE)[0].count == NUMBER_ABSENT_COUNT);
    assert_true(numbers_of(account, LATENCY_RUN_QUEUE)[24].count == NUMBER_ABSENT_COUNT);
    assert_int_equal(tally_of(account, LATENCY_SWITCHES_VOLUNTARY)->count, 0);
}

static void tallies__are_added_up_and_stay_when_the_target_ends(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(LATENCY_SCHEDULER);
    AUTO(account) struct account *account = fixture_account(plan, "/a", 1);
    const struct latencies delta = {.tallies[LATENCY_MIGRATIONS_LLC] = 3, .buckets[0] = 1};

    (void)state;
    account_add_latencies(account, &delta);
    account_add_latencies(account, &delta);
    account_end(account);
    assert_int_equal(tally_of(account, LATENCY_MIGRATIONS_LLC)->count, 6);
    assert_int_equal(tally_of(account, LATENCY_MIGRATIONS_SMT)->count, 0);
    assert_int_equal(numbers_of(account, LATENCY_RUN_QUEUE)[0].count, 2);
}

static void adoption__takes_what_both_have_over(void **state)
{
    AUTO(plan)
    struct plan *before =
        plan_of(LATENCY_KIND_RUN_QUEUE | LATENCY_KIND_OFF_CPU | LATENCY_KIND_SWITCHES);
    AUTO(plan) struct plan *after = plan_of(LATENCY_SCHEDULER & ~(unsigned)LATENCY_KIND_RUN_QUEUE);
    AUTO(account) struct account *from = fixture_account(before, "/a", 1);
    AUTO(account) struct account *account = fixture_account(after, "/a", 2);
    const size_t first = latency_layouts[LATENCY_OFF_CPU_UNINTERRUPTIBLE].first;
    struct latencies delta = {.tallies[LATENCY_SWITCHES_INVOLUNTARY] = 7,
                              .sums_ns[LATENCY_OFF_CPU_UNINTERRUPTIBLE] = 9};

    (void)state;
    delta.buckets[first + 19] = 4;
    account_add_latencies(from, &delta);
    account_adopt(account, from);
    assert_int_equal(numbers_of(account, LATENCY_OFF_CPU_UNINTERRUPTIBLE)[19].count, 4);
    assert_int_equal(numbers_of(account, LATENCY_OFF_CPU_UNINTERRUPTIBLE)[20].count, 9);
    assert_true(numbers_of(account, LATENCY_OFF_CPU_INTERRUPTIBLE)[0].count == NUMBER_ABSENT_COUNT);
    assert_true(numbers_of(account, LATENCY_ON_CPU)[0].count == NUMBER_ABSENT_COUNT);
    assert_int_equal(tally_of(account, LATENCY_SWITCHES_INVOLUNTARY)->count, 7);
    assert_true(tally_of(account, LATENCY_MIGRATIONS_SMT)->count == NUMBER_ABSENT_COUNT);
}

static void catalogue__has_one_family_for_both_states(void **state)
{
    AUTO(plan) struct plan *plan = plan_of(LATENCY_KIND_OFF_CPU);
    AUTO(catalogue) struct catalogue *catalogue = NULL;

    (void)state;
    assert_int_equal(catalogue_new(&plan, 1, NULL, 0, &catalogue), 0);
    assert_int_equal(catalogue->n_families, 1);
    assert_int_equal(catalogue->families[0].type, FAMILY_HISTOGRAM);
    assert_int_equal(catalogue->families[0].n_uses, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan__without_latency__has_none_of_its_numbers),
        cmocka_unit_test(plan__shows_tallies_as_columns_and_histograms_beside_them),
        cmocka_unit_test(plan__has_only_what_is_wanted),
        cmocka_unit_test(limits__are_powers_of_four_as_openmetrics_writes_them),
        cmocka_unit_test(row_bytes__count_each_bucket_the_sum_and_the_count),
        cmocka_unit_test(distribution__is_absent_before_the_first_and_whole_from_then_on),
        cmocka_unit_test(tallies__are_added_up_and_stay_when_the_target_ends),
        cmocka_unit_test(adoption__takes_what_both_have_over),
        cmocka_unit_test(catalogue__has_one_family_for_both_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
