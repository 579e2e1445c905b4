/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted by key in the past of a target. */
#include "history/store_fixture.h"

#include "history/recorder_by_key.h"
#include "sys/bpf/tcp/counts.h"

#define SPANS    "pmu_cgroup_span_seconds"
#define CONNECTS "pmu_cgroup_tcp_connects_per_second"
#define IRQS     "pmu_cgroup_hardirq_seconds"

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(fabs(value - expected) <= tolerance);
}

/* From now on a second has no more of a kind. */
static void forget(struct store_fixture *f, enum breakdown_kind kind)
{
    f->counted.of[kind] = breakdown_unref(f->counted.of[kind]);
}

/* From now on a second has so many more of this key: as many in the tally and in a bucket. */
static void add(struct store_fixture *f, enum breakdown_kind kind, const char *key, size_t tally,
                size_t bucket, uint64_t n)
{
    uint64_t numbers[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)] = {0};
    const size_t first = breakdown_first_bucket(kind, 0);
    struct breakdown_line line = {0};

    (void)snprintf(line.labels[0], sizeof(line.labels[0]), "%s", key);
    if (breakdown_shapes[kind].label_names[1])
        (void)snprintf(line.labels[1], sizeof(line.labels[1]), "disk");
    if (breakdown_shapes[kind].n_tallies > 0)
        numbers[tally] = n;
    numbers[first + bucket] = n;
    numbers[first + KEYED_BUCKETS] = n * 1000000;
    if (!f->counted.of[kind])
        f->counted.of[kind] = breakdown_new(kind);
    assert_int_equal(breakdown_add(f->counted.of[kind], &line, numbers), 0);
}

static struct history_answer *ask(struct store_fixture *f, const char *column, uint64_t step_s)
{
    const struct history_query query = {.target = TARGET,
                                        .start_ns = BEGIN_S * NS_PER_SECOND,
                                        .end_ns = (BEGIN_S + 4 * 3600) * NS_PER_SECOND,
                                        .step_ns = step_s * NS_PER_SECOND,
                                        .columns = &column,
                                        .n_columns = 1};
    struct history_answer *answer = NULL;

    assert_int_equal(history_store_query(&f->store, &query, &answer), 0);
    return answer;
}

static const char *label_of(const struct history_series *series, const char *name)
{
    for (size_t i = 0; i < HISTORY_LABELS && series->labels[i].name; i++)
        if (strcmp(series->labels[i].name, name) == 0)
            return series->labels[i].value;
    return "";
}

/* The series of a key, and of a bucket unless that is NULL. */
static const struct history_series *find(const struct history_answer *answer, const char *label,
                                         const char *key, const char *le)
{
    for (size_t i = 0; i < answer->n_series; i++)
        if (strcmp(label_of(&answer->series[i], label), key) == 0 &&
            (!le || strcmp(label_of(&answer->series[i], "le"), le) == 0))
            return &answer->series[i];
    fail_msg("no %s=%s, le=%s", label, key, le ? le : "");
    return NULL;
}

/* How often it was counted in all of the past: rates times steps of so many seconds. */
static double all_of(const struct history_answer *answer, const struct history_series *series,
                     double step_s)
{
    double sum = 0;

    for (size_t i = 0; i < answer->n_times; i++)
        sum += isnan(series->values[i]) ? 0 : series->values[i] * step_s;
    return sum;
}

static void lines__have_their_labels_and_a_series_for_each_bucket(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL, *sums = NULL;
    const struct history_series *series;

    add(f, BREAKDOWN_SPANS, "flush", 0, 3, 5);
    add(f, BREAKDOWN_SPANS, "parse", 0, 0, 2);
    fixture_count_for(f, 60);
    answer = ask(f, SPANS, 10);
    assert_int_equal(answer->n_series, 2 * KEYED_BUCKETS);
    assert_in_range(answer->n_times, 5, 7);
    for (size_t i = 0; i < answer->n_series; i++) {
        const bool is_flush = i < KEYED_BUCKETS;
        const double expected = i == 3 ? 5 : i == KEYED_BUCKETS ? 2 : 0;

        series = &answer->series[i];
        assert_string_equal(series->name, SPANS);
        assert_string_equal(label_of(series, "span"), is_flush ? "flush" : "parse");
        for (size_t t = 1; t < answer->n_times; t++)
            assert_near(series->values[t], expected, 1e-9);
    }
    assert_string_equal(label_of(&answer->series[KEYED_BUCKETS - 1], "le"), "+Inf");
    sums = ask(f, SPANS "_sum", 10);
    assert_int_equal(sums->n_series, 2);
    assert_near(find(sums, "span", "flush", NULL)->values[2], 0.005, 1e-9);
}

static void line__that_comes_loses_nothing_and_takes_nothing_from_others(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *spans = NULL, *connects = NULL;

    fixture_count_for(f, 30);
    add(f, BREAKDOWN_TCP, "", TCP_CONNECTS, 5, 70);
    fixture_count_for(f, 1);
    forget(f, BREAKDOWN_TCP);
    add(f, BREAKDOWN_SPANS, "flush", 0, 3, 5);
    fixture_count_for(f, 30);
    add(f, BREAKDOWN_SPANS, "parse", 0, 0, 2);
    fixture_count_for(f, 33); /* 33 + 30 + 1 + 30 = 94: up to the row of the 90th second */
    connects = ask(f, CONNECTS, 10);
    assert_int_equal(connects->n_series, 1);
    assert_null(connects->series[0].labels[0].name);
    assert_near(all_of(connects, &connects->series[0], 10), 70, 1e-6);
    spans = ask(f, SPANS, 10);
    assert_near(all_of(spans, find(spans, "span", "flush", "7.62939453125e-06"), 10), 59 * 5, 1e-6);
    assert_near(all_of(spans, find(spans, "span", "parse", "9.5367431640625e-07"), 10), 29 * 2,
                1e-6);
}

/* Rows with a base and rows without one stand at the same times, whichever the step is. */
static void line__that_comes_is_at_the_times_of_the_others(void **state)
{
    struct store_fixture *f = *state;

    add(f, BREAKDOWN_SPANS, "flush", 0, 3, 5);
    fixture_count_for(f, 35);
    add(f, BREAKDOWN_SPANS, "parse", 0, 0, 2);
    fixture_count_for(f, 30);
    for (uint64_t step_s = 10; step_s <= 20; step_s += 5) {
        AUTO(history_answer) struct history_answer *answer = ask(f, SPANS, step_s);

        for (size_t i = 1; i < answer->n_times; i++) {
            assert_true(answer->times_ns[i] - answer->times_ns[i - 1] >= 10 * NS_PER_SECOND);
            assert_near(find(answer, "span", "flush", "7.62939453125e-06")->values[i], 5, 1e-9);
        }
    }
}

static void lines__beyond_those_that_count_most_are_added_up(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    char irq[8];

    for (unsigned i = 1; i <= BY_KEY_LINES + 10; i++) {
        (void)snprintf(irq, sizeof(irq), "%u", i);
        add(f, BREAKDOWN_HARDIRQS, irq, 0, 0, i);
    }
    fixture_count_for(f, 60);
    answer = ask(f, IRQS, 10);
    assert_int_equal(answer->n_series, (BY_KEY_LINES + 1) * KEYED_BUCKETS);
    assert_near(find(answer, "irq", "11", NULL)->values[2], 11, 1e-9);
    assert_string_equal(label_of(find(answer, "irq", "11", NULL), "device"), "disk");
    assert_near(find(answer, "irq", "30", NULL)->values[2], 30, 1e-9);
    assert_near(find(answer, "irq", "other", NULL)->values[2], 55, 1e-9);
    assert_string_equal(label_of(find(answer, "irq", "other", NULL), "device"), "other");
}

static void line__that_others_overtake_is_no_jump_of_the_others(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    const struct history_series *others;
    char irq[8];

    for (unsigned i = 1; i <= BY_KEY_LINES + 1; i++) {
        (void)snprintf(irq, sizeof(irq), "%u", i);
        add(f, BREAKDOWN_HARDIRQS, irq, 0, 0, i);
    }
    fixture_count_for(f, 60);
    add(f, BREAKDOWN_HARDIRQS, "1", 0, 0, 100); /* and so it is among the first soon */
    fixture_count_for(f, 60);
    answer = ask(f, IRQS, 10);
    others = find(answer, "irq", "other", NULL);
    for (size_t i = 0; i < answer->n_times; i++)
        assert_true(isnan(others->values[i]) || others->values[i] < 102);
    assert_near(find(answer, "irq", "1", NULL)->values[answer->n_times - 1], 101, 1e-9);
    assert_near(others->values[answer->n_times - 1], 2, 1e-9);
}

static void lines__that_overtake_each_other_in_turn_are_no_other_lines_each_time(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    char irq[8];

    for (unsigned i = 1; i <= BY_KEY_LINES + 2; i++) {
        (void)snprintf(irq, sizeof(irq), "%u", i);
        add(f, BREAKDOWN_HARDIRQS, irq, 0, 0, 1000);
    }
    fixture_count_for(f, 10);
    for (unsigned turn = 0; turn < 10; turn++) {
        forget(f, BREAKDOWN_HARDIRQS);
        for (unsigned i = 1; i <= BY_KEY_LINES + 2; i++) {
            (void)snprintf(irq, sizeof(irq), "%u", i);
            add(f, BREAKDOWN_HARDIRQS, irq, 0, 0, i % 2 == turn % 2 ? 3 : 1);
        }
        fixture_count_for(f, 10 + turn * 10);
    }
    answer = ask(f, IRQS, 10);
    assert_int_equal(answer->n_series, (BY_KEY_LINES + 1) * KEYED_BUCKETS);
}

static void target__that_was_born_again_begins_anew(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    const double *values;

    add(f, BREAKDOWN_SPANS, "flush", 0, 0, 100);
    fixture_count_for(f, 30);
    fixture_make_account(f, 77);
    forget(f, BREAKDOWN_SPANS);
    add(f, BREAKDOWN_SPANS, "flush", 0, 0, 3);
    fixture_count_for(f, 30);
    answer = ask(f, SPANS, 10);
    values = answer->series[0].values;
    assert_near(values[1], 100, 1e-9);
    assert_near(values[answer->n_times - 1], 3, 1e-9);
    for (size_t i = 0; i < answer->n_times; i++)
        assert_true(isnan(values[i]) || (values[i] > 2.9 && values[i] < 100.1));
}

static void keys__are_kept_at_each_resolution_and_are_no_targets(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    AUTO(history_targets) struct history_targets *targets = NULL;

    add(f, BREAKDOWN_TCP, "", TCP_CONNECTS, 5, 7);
    fixture_count_for(f, 3 * 3600);
    answer = ask(f, CONNECTS, 60);
    assert_in_range(answer->n_times, 170, 182);
    assert_near(answer->series[0].values[5], 7, 1e-9);
    assert_near(answer->series[0].values[answer->n_times - 5], 7, 1e-9);
    assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
    assert_int_equal(targets->n_targets, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines__have_their_labels_and_a_series_for_each_bucket),
        TEST(line__that_comes_loses_nothing_and_takes_nothing_from_others),
        TEST(line__that_comes_is_at_the_times_of_the_others),
        TEST(lines__beyond_those_that_count_most_are_added_up),
        TEST(line__that_others_overtake_is_no_jump_of_the_others),
        TEST(lines__that_overtake_each_other_in_turn_are_no_other_lines_each_time),
        TEST(target__that_was_born_again_begins_anew),
        TEST(keys__are_kept_at_each_resolution_and_are_no_targets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
