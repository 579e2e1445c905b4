/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "tool/json.h"
#include "tool/latency/show.h"

static struct distribution kinds[] = {
    {.n = 5,
     .limits = {0.001, 0.002, 0.004, 0.008, INFINITY},
     .counts = {0, 40, 1, 0, 4},
     .sum = 0.09},
    {.labels = {{(char *)"state", (char *)"interruptible"}}, .n = 1, .limits = {INFINITY}},
};

/* Waits for a CPU, and none that were blocked. */
static struct distributions counted_of_threads(void)
{
    kinds[0].family = latency_family_of_kind("run_queue");
    kinds[1].family = latency_family_of_kind("off_cpu");
    return (struct distributions){.is_there = true, .all = kinds, .n = 2};
}

static struct distribution keyed[] = {
    {.labels = {{(char *)"vector", (char *)"NET_RX"}},
     .n = 2,
     .limits = {0.001, INFINITY},
     .counts = {7, 0},
     .sum = 0.0035},
    {.labels = {{(char *)"vector", (char *)"HI"}}, .n = 1, .limits = {INFINITY}},
    {.labels = {{(char *)"call", (char *)"write"}}, .n = 1, .counts = {30}},
    {.labels = {{(char *)"call", (char *)"dup"}}, .n = 1, .counts = {8}},
    {.labels = {{(char *)"call", (char *)"dup"}}, .n = 1, .counts = {3}},
};

/* Softirqs and system calls. */
static struct distributions counted_by_key(void)
{
    const struct latency_family *times = latency_family_of_kind("system_calls"), *calls = times + 1;

    keyed[0].family = keyed[1].family = latency_family_of_kind("interrupts");
    keyed[2].family = keyed[3].family = calls;
    keyed[4].family = calls + 1;
    return (struct distributions){.is_there = true, .all = keyed, .n = ARRAY_SIZE(keyed)};
}

static void durations_have_three_digits_and_a_unit(void **state)
{
    static const struct {
        double seconds;
        const char *words;
    } cases[] = {{0, "0 us"},           {0.00000095, "0.95 us"},
                 {0.0009994, "999 us"}, {0.001, "1 ms"},
                 {0.0999, "99.9 ms"},   {1, "1 s"},
                 {1234.5, "1234 s"},    {NAN, "-"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *words = NULL;

        latency_append_duration(&text, cases[i].seconds);
        words = text_take(&text);
        assert_string_equal(words, cases[i].words);
    }
}

static void a_histogram_has_bars_and_figures(void **state)
{
    struct distributions counted = counted_of_threads();
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    (void)state;
    counted.n = 1;
    latency_append_text(&text, "machine", &counted, 10);
    shown = text_take(&text);
    assert_string_equal(
        shown, "machine: waits for a CPU, in 10 s\n"
               "    1 ms ..     2 ms          40 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
               "    2 ms ..     4 ms           1 |@                                       |\n"
               "    4 ms ..     8 ms           0 |                                        |\n"
               "    over        8 ms           4 |@@@@                                    |\n"
               "count 45, sum 90 ms, mean 2 ms, p50 1.56 ms, p90 3 ms, p99 8 ms "
               "(within a bucket)\n");
}

static void what_counted_nothing_says_so_and_what_is_not_there_is_not_shown(void **state)
{
    struct distributions counted = counted_of_threads();
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    (void)state;
    latency_append_text(&text, "cgroup:/\x1b[2J", &counted, 1);
    shown = text_take(&text);
    assert_non_null(strstr(shown, "\n\ncgroup:/\\x1b[2J: blocked (interruptible), in 1 s\n"
                                  "none has ended\n"));
    assert_null(strstr(shown, "times on a CPU"));
    assert_null(strstr(shown, "(uninterruptible)"));
}

static void json_has_the_same(void **state)
{
    const struct distributions counted = counted_of_threads();
    AUTO_JSON json_t *value = latency_json("machine", &counted, 10);
    const json_t *all = json_object_get(value, "distributions");
    const json_t *first = json_array_get(all, 0), *last = json_array_get(all, 1);
    const json_t *buckets = json_object_get(first, "buckets");

    (void)state;
    assert_int_equal(json_array_size(all), 2);
    assert_string_equal(json_string_value(json_object_get(first, "kind")), "run_queue");
    assert_true(json_is_null(json_object_get(first, "state")));
    assert_true(json_number_value(json_object_get(first, "count")) == 45);
    assert_true(json_number_value(json_object_get(first, "p99_seconds")) == 0.008);
    assert_int_equal(json_array_size(buckets), 5);
    assert_true(json_is_null(json_object_get(json_array_get(buckets, 4), "up_to_seconds")));
    assert_string_equal(json_string_value(json_object_get(last, "state")), "interruptible");
    assert_true(json_is_null(json_object_get(last, "mean_seconds")));
}

static void keys_have_histograms_and_tables(void **state)
{
    const struct distributions counted = counted_by_key();
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    (void)state;
    latency_append_text(&text, "machine", &counted, 10);
    shown = text_take(&text);
    assert_string_equal(
        shown, "machine: softirqs (NET_RX), in 10 s\n"
               "    0 us ..     1 ms           7 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
               "count 7, sum 3.5 ms, mean 500 us, p50 500 us, p90 900 us, p99 990 us "
               "(within a bucket)\n"
               "\n"
               "machine: calls, errors of system calls by call, in 10 s\n"
               "call   calls  errors  calls/s\n"
               "write     30       0        3\n"
               "dup        8       3      0.8\n");
}

static void of_calls_of_which_only_some_are_timed_that_is_told(void **state)
{
    struct distribution timed = {
        .family = latency_family_of_kind("system_calls"),
        .labels = {{(char *)"call", (char *)"read"}, {(char *)"class", (char *)"working"}},
        .limits = {0.001, INFINITY},
        .counts = {2, 0},
        .n = 2,
        .sum = 0.001};
    const struct distributions counted = {.all = &timed, .n = 1, .one_in = 17};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;
    AUTO_JSON json_t *value = latency_json("machine", &counted, 10);
    const json_t *one = json_array_get(json_object_get(value, "distributions"), 0);

    (void)state;
    assert_int_equal(json_integer_value(json_object_get(one, "one_in")), 17);
    latency_append_text(&text, "machine", &counted, 10);
    shown = text_take(&text);
    assert_ptr_equal(strstr(shown, "machine: system calls (read, working), in 10 s, one in 17\n"),
                     shown);
}

static void what_has_no_key_yet_says_that_nothing_was_counted(void **state)
{
    const struct distributions counted = {.is_there = true};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *shown = NULL;

    (void)state;
    latency_append_text(&text, "machine", &counted, 3);
    shown = text_take(&text);
    assert_string_equal(shown, "machine: nothing was counted in 3 s\n");
}

static void json_has_keys_with_their_labels(void **state)
{
    const struct distributions counted = counted_by_key();
    AUTO_JSON json_t *value = latency_json("machine", &counted, 10);
    const json_t *all = json_object_get(value, "distributions");
    const json_t *counts = json_object_get(value, "counts"), *last = json_array_get(counts, 2);

    (void)state;
    assert_int_equal(json_array_size(all), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(all, 0), "vector")),
                        "NET_RX");
    assert_int_equal(json_array_size(counts), 3);
    assert_string_equal(json_string_value(json_object_get(last, "name")),
                        "system_call_errors_total");
    assert_string_equal(json_string_value(json_object_get(last, "call")), "dup");
    assert_true(json_number_value(json_object_get(last, "count")) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_have_three_digits_and_a_unit),
        cmocka_unit_test(a_histogram_has_bars_and_figures),
        cmocka_unit_test(what_counted_nothing_says_so_and_what_is_not_there_is_not_shown),
        cmocka_unit_test(json_has_the_same),
        cmocka_unit_test(keys_have_histograms_and_tables),
        cmocka_unit_test(of_calls_of_which_only_some_are_timed_that_is_told),
        cmocka_unit_test(what_has_no_key_yet_says_that_nothing_was_counted),
        cmocka_unit_test(json_has_keys_with_their_labels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
