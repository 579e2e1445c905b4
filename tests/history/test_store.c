/* SPDX-License-Identifier: Apache-2.0 */
#include "history/store_fixture.h"

#include <sys/random.h>

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(fabs(value - expected) <= tolerance);
}

/* All branches that an answer tells of. */
static double sum_of_branches(const struct history_answer *answer)
{
    const double *values = fixture_values(answer, "pmu_cgroup_branches_per_second");
    double sum = 0;

    for (size_t i = 0; i < answer->n_times; i++)
        sum += isnan(values[i]) ? 0 : values[i] * (double)answer->step_ns / 1e9;
    return sum;
}

static void history__tells_rates_ratios_coverage_and_cpus(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    fixture_count_for(f, 10);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 100, 1);
    assert_int_equal(answer->n_times, 10);
    assert_string_equal(answer->labels[0].value, "/a");
    assert_true(isnan(fixture_values(answer, "pmu_cgroup_branches_per_second")[0]));
    for (size_t i = 1; i < 10; i++) {
        assert_true(answer->times_ns[i] == (BEGIN_S + i + 1) * NS_PER_SECOND);
        assert_near(fixture_values(answer, "pmu_cgroup_branches_per_second")[i], 1000, 1e-9);
        assert_near(fixture_values(answer, "pmu_cgroup_branch_miss_ratio")[i], 0.1, 1e-9);
        assert_near(fixture_values(answer, "pmu_cgroup_group_coverage_ratio")[i], 0.5, 1e-9);
        assert_near(fixture_values(answer, "pmu_cgroup_cpus_used")[i], 0.5, 1e-9);
    }
}

static void history__of_an_unknown_target_is_not_there(void **state)
{
    struct store_fixture *f = *state;
    const struct history_query query = {.target = "cgroup:/b", .end_ns = UINT64_MAX};
    struct history_answer *answer = NULL;

    fixture_count_for(f, 3);
    assert_int_equal(history_store_query(&f->store, &query, &answer), -ENOENT);
}

static void history__has_a_gap_where_the_counts_were_unknown_and_loses_nothing(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    const double *branches;

    fixture_count_for(f, 3);
    fixture_count(f, 0, true);
    fixture_count(f, 3000, false); /* the delta covers both */
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 100, 1);
    branches = fixture_values(answer, "pmu_cgroup_branches_per_second");
    assert_true(isnan(branches[3]));
    assert_near(branches[4], 1500, 1e-9);
    assert_near(fixture_values(answer, "pmu_cgroup_group_coverage_ratio")[3], 0.5, 1e-9);
}

static void history__begins_anew_where_a_target_was_born_again(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    const double *branches;

    fixture_count_for(f, 3);
    fixture_make_account(f, 77);
    fixture_count_for(f, 3);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 100, 1);
    branches = fixture_values(answer, "pmu_cgroup_branches_per_second");
    assert_int_equal(answer->n_times, 6);
    assert_near(branches[2], 1000, 1e-9);
    assert_true(isnan(branches[3]));
    assert_near(branches[4], 1000, 1e-9);
}

static void history__is_exact_over_chunks_and_at_each_resolution(void **state)
{
    static const uint64_t steps[] = {1, 2, 5, 10, 60, 300};
    struct store_fixture *f = *state;

    fixture_count_for(f, 601);
    for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
        AUTO(history_answer)
        struct history_answer *answer = fixture_ask(f, BEGIN_S, BEGIN_S + 1000, steps[i]);
        const double *branches = fixture_values(answer, "pmu_cgroup_branches_per_second");

        for (size_t j = 1; j < answer->n_times; j++)
            assert_near(branches[j], 1000, 1e-6);
        assert_in_range(answer->n_times, 600 / steps[i], 601 / steps[i] + 2);
    }
}

static void history__has_no_point_behind_its_end(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    fixture_count_for(f, 601);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 333, 60);
    assert_true(answer->times_ns[answer->n_times - 1] == (BEGIN_S + 333) * NS_PER_SECOND);
    assert_near(fixture_values(answer, "pmu_cgroup_branches_per_second")[answer->n_times - 1], 1000,
                1e-6);
}

static void history__is_thinned_out_and_sums_stay(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    uint64_t n = 0;

    fixture_count_for(f, 3 * 3600);
    assert_int_equal(
        database_ask(&f->store.past.disk, "SELECT count(*) FROM chunks WHERE level = 1", &n), 0);
    assert_in_range(n, 3, 4);
    assert_int_equal(
        database_ask(&f->store.past.disk, "SELECT count(*) FROM chunks WHERE level = 0", &n), 0);
    assert_in_range(n, 59, 95);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 4 * 3600, 60);
    assert_true(fabs(sum_of_branches(answer) - 3 * 3600 * 1000.0) <= 70000);
    for (size_t i = 1; i < answer->n_times; i++)
        assert_near(fixture_values(answer, "pmu_cgroup_branches_per_second")[i], 1000, 1e-6);
    assert_int_equal(f->store.n_damaged, 0);
}

static void history__keeps_no_more_bytes_than_it_may(void **state)
{
    struct store_fixture *f = *state;

    f->store.limits.bytes = 64 * 1024;
    for (unsigned i = 0; i < 4 * 3600; i++)
        fixture_count(f, 1000 + i * 7919 % 1000, false);
    assert_in_range(f->store.status.bytes, 1024, 64 * 1024);
    assert_true(f->store.status.oldest_realtime_ns >= BEGIN_S * NS_PER_SECOND);
}

static void history__survives_a_clock_that_steps(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    const double *branches;
    size_t n = 0;

    fixture_count_for(f, 100);
    f->realtime_ns -= 50 * NS_PER_SECOND; /* so 50 seconds are told twice */
    fixture_count_for(f, 100);
    f->realtime_ns += 86400 * UINT64_C(365) * NS_PER_SECOND;
    fixture_count_for(f, 100);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 86400 * UINT64_C(700), 1);
    branches = fixture_values(answer, "pmu_cgroup_branches_per_second");
    for (size_t i = 1; i < answer->n_times; i++) {
        assert_true(answer->times_ns[i] > answer->times_ns[i - 1]);
        assert_near(branches[i], 1000, 1e-6);
        n++;
    }
    assert_int_equal(n, 299 - 50); /* of which 50 hold two seconds each */
}

static void history__is_there_after_a_kill_but_for_the_last_minute(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    fixture_count_for(f, 300);
    fixture_kill(f);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 1000, 1);
    assert_in_range(answer->n_times, 239, 300);
}

static void history__is_there_after_an_end_to_the_last_second(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    fixture_count_for(f, 70);
    history_store_done(&f->store);
    assert_int_equal(history_store_init(&f->store, &f->options), 0);
    history_store_open(&f->store);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 1000, 1);
    assert_int_equal(answer->n_times, 70);
}

static void assert_on_the_second_cpu(const struct history_cpus *cpus, size_t least_times)
{
    assert_int_equal(cpus->n_cpus, 2);
    assert_int_equal(cpus->cpus[0], 0);
    assert_int_equal(cpus->cpus[1], 12);
    assert_in_range(cpus->n_times, least_times, least_times + 2);
    for (size_t i = 1; i < cpus->n_times; i++) {
        assert_near((double)cpus->shares[i], 0, 1e-6);
        assert_near((double)cpus->shares[cpus->n_times + i], 0.5, 1e-6);
    }
}

static void cpus__of_a_target_are_told_as_shares_and_at_each_resolution(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_cpus) struct history_cpus *fine = NULL, *coarse = NULL, *old = NULL;
    AUTO(history_targets) struct history_targets *targets = NULL;
    AUTO(history_answer) struct history_answer *answer = NULL;

    assert_int_equal(cpu_list_parse("0,12", &f->cpus), 0);
    fixture_count_for(f, 600);
    fine = fixture_ask_cpus(f, BEGIN_S, BEGIN_S + 1000, 10);
    assert_on_the_second_cpu(fine, 60);
    assert_true(isnan(fine->shares[0])); /* there is nothing before the first times */
    coarse = fixture_ask_cpus(f, BEGIN_S, BEGIN_S + 1000, 60);
    assert_on_the_second_cpu(coarse, 10);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 1000, 1);
    assert_int_equal(answer->n_times, 600);
    assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, 1); /* times on CPUs are no target that is listed */
    assert_int_equal(f->store.status.targets, 1);
    fixture_count_for(f, 2 * 3600);
    old = fixture_ask_cpus(f, BEGIN_S, BEGIN_S + 1000, 60);
    assert_in_range(old->n_times, 16, 18);
    assert_near((double)old->shares[old->n_times + 5], 0.5, 1e-6);
}

static void cpus__of_a_target_born_again_begin_anew(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_cpus) struct history_cpus *cpus = NULL;

    assert_int_equal(cpu_list_parse("0,12", &f->cpus), 0);
    fixture_count_for(f, 30);
    fixture_make_account(f, 77);
    f->ran_ns[1] = 0;
    fixture_count_for(f, 30);
    cpus = fixture_ask_cpus(f, BEGIN_S, BEGIN_S + 1000, 10);
    assert_int_equal(cpus->n_times, 6);
    assert_near((double)cpus->shares[6 + 2], 0.5, 1e-6);
    assert_true(isnan(cpus->shares[6 + 3]));
    assert_near((double)cpus->shares[6 + 4], 0.5, 1e-6);
}

static void assert_no_cpus(struct store_fixture *f)
{
    AUTO(history_cpus) struct history_cpus *cpus = fixture_ask_cpus(f, 0, BEGIN_S + 1000, 10);

    assert_int_equal(cpus->n_cpus, 0);
    assert_int_equal(cpus->n_times, 0);
}

static void cpus__of_a_target_that_has_none_are_none(void **state)
{
    struct store_fixture *f = *state;

    fixture_count_for(f, 1); /* nothing is stored yet */
    assert_no_cpus(f);
    history_store_done(&f->store);
    assert_int_equal(history_store_init(&f->store, &f->options), 0);
    history_store_open(&f->store); /* it is stored, and counted no more */
    assert_no_cpus(f);
}

static void cpus__of_an_unknown_target_are_not_there(void **state)
{
    struct store_fixture *f = *state;
    struct history_cpus *cpus = NULL;

    assert_int_equal(
        history_store_cpus(&f->store, TARGET, 0, UINT64_MAX, 10 * NS_PER_SECOND, &cpus), -ENOENT);
}

static void targets__are_listed_with_their_columns(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_targets) struct history_targets *targets = NULL, *none = NULL;

    fixture_count_for(f, 90);
    assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, 1);
    assert_string_equal(targets->targets[0].key, TARGET);
    assert_string_equal(targets->targets[0].kind, "cgroup");
    assert_int_equal(targets->targets[0].n_columns, 6);
    assert_true(targets->targets[0].first_ns == (BEGIN_S + 1) * NS_PER_SECOND);
    assert_true(targets->targets[0].last_ns == (BEGIN_S + 90) * NS_PER_SECOND);
    assert_int_equal(history_store_targets(&f->store, 0, BEGIN_S * NS_PER_SECOND, &none), 0);
    assert_int_equal(none->n_targets, 0);
}

static void targets__of_the_past_are_listed_up_to_a_number(void **state)
{
    struct store_fixture fixture, *f = &fixture;
    AUTO(history_targets) struct history_targets *targets = NULL;

    (void)state;
    fixture_open(f, NULL);
    fixture_count_for(f, 3);
    assert_non_null(vault_writable(&f->store.past));
    assert_int_equal(
        database_run(&f->store.past.memory,
                     "INSERT INTO layouts VALUES (1, x'00');"
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20001)"
                     " INSERT INTO targets SELECT i, 'cgroup:/' || i, 'cgroup', x'' FROM n;"
                     "INSERT INTO chunks SELECT id, id, 1, 0, 5, 6, x'00' FROM targets"),
        0);
    assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, HISTORY_LISTED_MAX + 1);
    assert_true(targets->is_cut);
    targets = history_targets_free(targets);
    assert_int_equal(database_run(&f->store.past.memory, "DELETE FROM chunks WHERE target > 20000"),
                     0);
    assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, HISTORY_LISTED_MAX + 1);
    assert_false(targets->is_cut);
    fixture_close(f);
}

static void marks__are_kept_listed_and_deleted(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_marks) struct history_marks *marks = NULL, *rest = NULL;
    uint64_t first, second;

    assert_int_equal(history_store_add_mark(&f->store, 20, "release 1.2", &second), 0);
    assert_int_equal(history_store_add_mark(&f->store, 10, "release 1.1", &first), 0);
    assert_int_equal(history_store_add_mark(&f->store, 10, "", &first), -EINVAL);
    assert_int_equal(history_store_list_marks(&f->store, 0, UINT64_MAX, &marks), 0);
    assert_int_equal(marks->n_marks, 2);
    assert_string_equal(marks->marks[0].text, "release 1.1");
    assert_int_equal(history_store_delete_mark(&f->store, first), 0);
    assert_int_equal(history_store_delete_mark(&f->store, first), -ENOENT);
    assert_int_equal(history_store_list_marks(&f->store, 20, 21, &rest), 0);
    assert_int_equal(rest->n_marks, 1);
    assert_int_equal(rest->marks[0].id, second);
}

static void runs__are_kept_changed_and_deleted(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_runs) struct history_runs *runs = NULL, *one = NULL, *later = NULL;
    char data[1000] = "rows";
    struct history_run run = {.start_ns = 5,
                              .title = (char *)"before",
                              .notes = (char *)"",
                              .meta = (char *)"{}",
                              .data = data,
                              .data_bytes = sizeof(data)};

    assert_int_equal(history_store_add_run(&f->store, &run, &run.id), 0);
    assert_int_equal(history_store_list_runs(&f->store, &runs), 0);
    assert_int_equal(runs->n_runs, 1);
    assert_null(runs->runs[0].data);
    assert_int_equal(history_store_get_run(&f->store, run.id, &one), 0);
    assert_int_equal(one->runs[0].data_bytes, sizeof(data));
    assert_memory_equal(one->runs[0].data, data, sizeof(data));
    run.title = (char *)"after";
    run.data = NULL;
    assert_int_equal(history_store_update_run(&f->store, &run), 0);
    assert_int_equal(history_store_get_run(&f->store, run.id, &later), 0);
    assert_string_equal(later->runs[0].title, "after");
    assert_memory_equal(later->runs[0].data, data, sizeof(data));
    assert_int_equal(history_store_delete_run(&f->store, run.id), 0);
    assert_int_equal(history_store_delete_run(&f->store, run.id), -ENOENT);
    assert_int_equal(history_store_update_run(&f->store, &run), -ENOENT);
}

static void run__that_is_too_large_is_refused(void **state)
{
    struct store_fixture *f = *state;
    char data[] = "rows";
    const struct history_run run = {.data = data, .data_bytes = HISTORY_RUN_BYTES_MAX + 1};
    uint64_t id;

    assert_int_equal(history_store_add_run(&f->store, &run, &id), -EFBIG);
    assert_int_equal(f->store.runs.n_errors, 0);
}

static void runs__are_kept_up_to_their_number_and_no_more(void **state)
{
    struct store_fixture fixture, *f = &fixture;
    const struct history_run run = {
        .title = (char *)"a", .notes = (char *)"", .meta = (char *)"{}"};
    uint64_t id = 0;

    (void)state;
    fixture_open(f, NULL); /* in memory: a disk would take long */
    for (size_t i = 0; i < HISTORY_RUNS_MAX; i++)
        assert_int_equal(history_store_add_run(&f->store, &run, &id), 0);
    assert_int_equal(history_store_add_run(&f->store, &run, &id), -ENOSPC);
    assert_int_equal(history_store_delete_run(&f->store, id), 0);
    assert_int_equal(history_store_add_run(&f->store, &run, &id), 0);
    fixture_close(f);
}

static void runs__in_memory_have_its_limit(void **state)
{
    struct store_fixture fixture, *f = &fixture;
    const size_t n = HISTORY_MEMORY_BYTES / 8;
    struct history_run run = {.title = (char *)"a",
                              .notes = (char *)"",
                              .meta = (char *)"{}",
                              .data = malloc(n),
                              .data_bytes = n};
    uint64_t id = 0;
    size_t kept = 0;

    (void)state;
    assert_int_equal(getrandom(run.data, n, 0), n); /* which cannot be compressed */
    fixture_open(f, NULL);
    while (history_store_add_run(&f->store, &run, &id) == 0)
        kept++;
    assert_int_equal(kept, 7);
    f->store.limits.memory_bytes = HISTORY_MEMORY_BYTES / 2;
    assert_int_equal(history_store_delete_run(&f->store, id), 0);
    assert_int_equal(history_store_add_run(&f->store, &run, &id), -ENOSPC);
    fixture_close(f);
    free(run.data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(history__tells_rates_ratios_coverage_and_cpus),
        TEST(history__of_an_unknown_target_is_not_there),
        TEST(history__has_a_gap_where_the_counts_were_unknown_and_loses_nothing),
        TEST(history__begins_anew_where_a_target_was_born_again),
        TEST(history__is_exact_over_chunks_and_at_each_resolution),
        TEST(history__has_no_point_behind_its_end),
        TEST(history__is_thinned_out_and_sums_stay),
        TEST(history__keeps_no_more_bytes_than_it_may),
        TEST(history__survives_a_clock_that_steps),
        TEST(history__is_there_after_a_kill_but_for_the_last_minute),
        TEST(history__is_there_after_an_end_to_the_last_second),
        TEST(cpus__of_a_target_are_told_as_shares_and_at_each_resolution),
        TEST(cpus__of_a_target_born_again_begin_anew),
        TEST(cpus__of_a_target_that_has_none_are_none),
        TEST(cpus__of_an_unknown_target_are_not_there),
        TEST(targets__are_listed_with_their_columns),
        cmocka_unit_test(targets__of_the_past_are_listed_up_to_a_number),
        TEST(marks__are_kept_listed_and_deleted),
        TEST(runs__are_kept_changed_and_deleted),
        TEST(run__that_is_too_large_is_refused),
        cmocka_unit_test(runs__are_kept_up_to_their_number_and_no_more),
        cmocka_unit_test(runs__in_memory_have_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
